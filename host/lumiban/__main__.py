"""`python -m lumiban` is the `lumiban` command."""

try:
    from lumiban.cli import main
except KeyboardInterrupt:  # before anything is there that could answer it
    raise SystemExit(130) from None

main()
