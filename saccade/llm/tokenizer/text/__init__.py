"""What happens to a text before a model sees it: normal forms, cutting into pieces."""
