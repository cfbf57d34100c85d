"""What is kept on disk: compiled code, plans, what searches found, and whose folder it is."""
