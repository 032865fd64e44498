"""`python -m lumiban` is the `lumiban` command."""

import sys

# `python -m lumiban`: the folder in which somebody stands is no place to import from.
if not sys.flags.safe_path:
    del sys.path[0]

try:
    from lumiban.cli import main
except KeyboardInterrupt:  # before anything is there that could answer it
    raise SystemExit(130) from None

main()
