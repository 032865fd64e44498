"""What pytest wrote of a run with `--junitxml`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree


class Run(NamedTuple):
    """A run: outcomes by test (passed, failed, skipped, inconclusive), and what it told of its
    board."""

    tests: dict[str, str]
    properties: dict[str, str]


def read(path: Path) -> Run:
    """A run from its file."""
    tree = ElementTree.parse(path)
    words = {"failure": "failed", "error": "failed", "skipped": "skipped"}
    tests = {}
    for case in tree.iter("testcase"):
        outcome = "passed"
        for one in case:
            is_open = str(one.get("message")).startswith("inconclusive: ")
            outcome = "inconclusive" if is_open else words.get(one.tag, outcome)
        tests[str(case.get("name"))] = outcome
    properties = tree.iterfind("testsuite/properties/property")
    return Run(tests, {str(one.get("name")): str(one.get("value")) for one in properties})
