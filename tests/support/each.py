"""Many small cases of one claim as one test: a test of its own costs more than such a case does."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest

Test = Callable[..., None]


def each(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Test], Test]:
    """Call a test with each case in turn, as `pytest.mark.parametrize` does with a test for each.

    It fails with the errors of all cases that fail, and says with which. The test has no fixtures,
    as all cases would share them.
    """
    keys = [name.strip() for name in names.split(",")] if isinstance(names, str) else names
    listed = list(cases)

    def of(test: Test) -> Test:
        def tried(**more: Any) -> None:
            failed: list[BaseException] = []
            for case in listed:
                given = dict(zip(keys, case if len(keys) > 1 else (case,), strict=True))
                try:
                    test(**more, **given)
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 any failure's
                    error.add_note(f"with {given}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(listed)} cases", failed)

        tried.__name__, tried.__doc__ = test.__name__, test.__doc__
        tried.__module__, tried.__qualname__ = test.__module__, test.__qualname__
        left = [one for one in inspect.signature(test).parameters.values() if one.name not in keys]
        tried.__signature__ = inspect.Signature(left)  # type: ignore[attr-defined]  # asked by inspect
        return tried

    return of
