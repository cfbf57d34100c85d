"""What an experiment is: its sections, presets, TOML, and the machine it ran on."""
