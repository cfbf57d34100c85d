"""Runs one part of an experiment in Monty's own environment: `python peer.py [--as-shipped] OVERRIDES...`, as
for Hydra. The wheel has no entry script. Nothing of saccade is imported here.

Frames are drawn as in `frames.py` (the same observations, several times as fast in software GL) unless
--as-shipped is given.
"""

from __future__ import annotations

import sys
from importlib import import_module


def main() -> None:
    from tbp.monty.frameworks.run import main as run
    from tbp.monty.hydra import register_resolvers

    if "--as-shipped" in sys.argv:
        sys.argv.remove("--as-shipped")
    else:
        import_module("frames").install()  # beside this file: Monty's environment knows no package of ours
    register_resolvers()
    run()


if __name__ == "__main__":
    main()
