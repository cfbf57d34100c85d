"""Maps that turn what they read, through shared memory."""
