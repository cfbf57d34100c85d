"""saccade against other people's suites and libraries; each is run by hand, from a checkout or an install."""
