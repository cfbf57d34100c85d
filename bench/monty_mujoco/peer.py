"""Runs one part of an experiment in Monty's own environment: `python peer.py OVERRIDES...`, as for Hydra.

The wheel has no entry script. Nothing of saccade is imported here.
"""

from __future__ import annotations


def main() -> None:
    from tbp.monty.frameworks.run import main as run
    from tbp.monty.hydra import register_resolvers

    register_resolvers()
    run()


if __name__ == "__main__":
    main()
