"""The oracle: any kernel run with NumPy."""
