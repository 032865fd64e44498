"""`python -m lumiban` is the `lumiban` command."""

from lumiban.cli import main

main()
