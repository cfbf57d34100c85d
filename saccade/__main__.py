"""`python -m saccade` is the command line."""

from saccade.cli_process import main

if __name__ == "__main__":
    raise SystemExit(main())
