"""Methods made of others: softmax, attention, losses, random numbers."""
