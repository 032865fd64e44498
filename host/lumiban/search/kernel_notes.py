"""Sentences about kernels that are there and do not serve: numba, and libraries passed over."""

from __future__ import annotations

import sys

from lumiban.i18n import terminal_language, text


def say_if_plain() -> None:
    """A note on stderr when numba is there but could not be used, or libraries of kernels are
    passed over."""
    from lumiban.search.jit import broken

    reason = broken()
    if reason:
        print(text("cli.plain", terminal_language(), reason=reason), file=sys.stderr)
    say_what_is_passed_over()


def say_what_is_passed_over() -> None:
    """A sentence on stderr for each library of kernels that is there and does not serve."""
    for id, params in what_is_passed_over():
        print(text(id, terminal_language(), **params), file=sys.stderr, flush=True)


def what_is_passed_over() -> list[tuple[str, dict[str, str]]]:
    """The same for the catalogue: text ids with parameters."""
    from lumiban.search.libraries import passed_over
    from lumiban.search.numba_available import has_numba

    notes = passed_over()
    if not notes:
        return []  # without reading the catalogue, which takes a start more than all this
    meanwhile = text(f"cli.unfit.{'numba' if has_numba() else 'plain'}", terminal_language())
    return [
        (f"cli.unfit.{why}", {"path": str(path), "meanwhile": meanwhile})
        for path, why in notes.items()
    ]
