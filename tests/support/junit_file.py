"""What pytest wrote of a run with `--junitxml`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree


class Run(NamedTuple):
    """A run: outcomes by test, and what it told of its board."""

    tests: dict[str, str]
    properties: dict[str, str]


def read(path: Path) -> Run:
    """A run from its file."""
    tree = ElementTree.parse(path)
    words = {"failure": "failed", "error": "failed", "skipped": "skipped"}
    tests = {
        str(case.get("name")): next((words[one.tag] for one in case if one.tag in words), "passed")
        for case in tree.iter("testcase")
    }
    properties = tree.iterfind("testsuite/properties/property")
    return Run(tests, {str(one.get("name")): str(one.get("value")) for one in properties})
