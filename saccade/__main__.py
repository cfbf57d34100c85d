"""`python -m saccade` is the command line."""

from saccade.cli.process import main

if __name__ == "__main__":
    raise SystemExit(main())
