"""The suite that holds any board, and anybody's firmware, against docs/wire.md."""
