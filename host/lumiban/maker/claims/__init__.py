"""The claims of docs/wire.md, each with how to see whether a board keeps it."""
