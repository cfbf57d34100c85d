"""How loops are laid out on blocks and threads: flat, or a row for each team."""
