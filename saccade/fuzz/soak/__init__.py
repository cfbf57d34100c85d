"""All attacks in turn, for as long as asked."""
