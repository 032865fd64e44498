"""The mutation run: finds places by name and text, tells what came of each, harms no checkout."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import mutants
import pytest
from mutants import (
    BROKEN,
    CAUGHT,
    RED_ANYWAY,
    SURVIVED,
    TIMED_OUT,
    UNTESTED,
    ListError,
    Mutant,
    find,
)

CODE = '''
"""Sums, for the mutation run."""

MOST = 3


class Sum:
    def add(self, one, other):
        """Give one + other; at most MOST."""
        return min(one + other, MOST)


def twice(number):
    return number + number


def unwatched(number):
    return number + 1
'''
TESTS = """
from little.sums import Sum, twice, unwatched


def test_a_sum():
    assert Sum().add(1, 1) == 2


def test_at_most_three():
    assert Sum().add(2, 2) == 3


def test_nothing_of_it():
    unwatched(1)


def test_red_whatever_is_done():
    assert twice(2) == 5
"""
PLAIN = Mutant(
    "sum", "sums", "little", "Sum.add", "one + other,", "one - other,", "why", ("test_sums.py",)
)
QUICK = ("wire-crc", "referee-legal", "journal-order")
"""Mutants of the real list that the normal run tries, a second or two each."""


@pytest.fixture(scope="module")
def little(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small tree with code and tests of its own."""
    root = tmp_path_factory.mktemp("little")
    for folder in ("host/little", "tests"):
        (root / folder).mkdir(parents=True)
    (root / "host/little/__init__.py").touch()
    (root / "host/little/sums.py").write_text(CODE)
    (root / "tests/test_sums.py").write_text(TESTS)
    (root / "pyproject.toml").write_text("[tool.pytest.ini_options]\n")
    return root


def entry(one: Mutant) -> str:
    fields = (f"{name} = {json.dumps(getattr(one, name))}" for name in Mutant.__slots__)
    return "\n".join(("[[mutant]]", *fields, ""))


def green(*names: str) -> tuple[str, ...]:
    return tuple(f"test_sums.py::test_{name}" for name in names)


@pytest.mark.process
def test_each_fate_of_a_mutant_is_told_and_only_a_test_that_turns_red_counts(
    little: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    survivor = replace(PLAIN, id="survivor", function="unwatched", text="+ 1", becomes="- 1")
    found = [
        replace(PLAIN, tests=green("nothing_of_it", "a_sum", "at_most_three")),
        replace(
            PLAIN, id="limit", function="MOST", text="3", becomes="4", tests=green("at_most_three")
        ),
        replace(survivor, tests=green("nothing_of_it")),
        replace(
            PLAIN,
            id="no-op",
            text="min(one + other, MOST)",
            becomes="min(MOST, one + other)",
            tests=green("a_sum"),
        ),
        replace(
            PLAIN, id="broken", function="MOST", text="3", becomes="three", tests=green("a_sum")
        ),
        replace(
            PLAIN,
            id="red",
            function="twice",
            text="number + number",
            becomes="number",
            tests=green("red_whatever_is_done"),
        ),
        replace(PLAIN, id="untested", tests=green("a_sum[0]")),
    ]
    (little / mutants.LIST).write_text("\n".join(map(entry, found)))
    before = {file: file.read_bytes() for file in little.rglob("*.py")}

    assert mutants.main("", as_json=True, jobs=2, root=little) == 1

    out = json.loads(capsys.readouterr().out)
    fates = {one["id"]: (one["outcome"], one["test"]) for one in out["results"]}
    assert fates == {
        "sum": (CAUGHT, "test_sums.py::test_a_sum"),
        "limit": (CAUGHT, "test_sums.py::test_at_most_three"),
        "survivor": (SURVIVED, ""),
        "no-op": (SURVIVED, ""),
        "broken": (BROKEN, ""),
        "red": (RED_ANYWAY, "test_sums.py::test_red_whatever_is_done"),
        "untested": (UNTESTED, ""),
    }
    assert (out["mutants"], out["caught"]) == (7, 2)
    assert {file: file.read_bytes() for file in little.rglob("*.py")} == before

    # What was learned comes first; what was caught alone is a success.
    assert mutants.learned(little / mutants.LEARNED)["sum"]["test"] == "test_sums.py::test_a_sum"
    assert mutants.main("sum,limit", jobs=2, root=little) == 0
    told = capsys.readouterr().out
    assert "[ 2/2]" in told
    assert "2 of 2 mutants caught" in told


@pytest.mark.process
def test_a_mutant_whose_tests_do_not_end_is_not_caught(little: Path) -> None:
    (result,) = mutants.run([PLAIN], little, timeout_s=0)
    assert result.outcome == TIMED_OUT


def test_a_place_is_found_wherever_its_file_moves(little: Path, tmp_path: Path) -> None:
    place = find(PLAIN, little)
    assert place.module == "little.sums"
    assert place.after == CODE.replace("min(one + other,", "min(one - other,")
    (tmp_path / "host/little/deep").mkdir(parents=True)
    moved = CODE.replace("one + other, MOST", "one\n            + other, MOST")
    (tmp_path / "host/little/deep/other.py").write_text(moved)
    assert find(PLAIN, tmp_path).module == "little.deep.other"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"function": "Sum.subtract"}, "Sum.subtract is not there any more"),
        ({"function": "add"}, "add is not there any more"),
        ({"text": "one * other"}, "'one * other' is not there any more"),
        ({"text": "one + other"}, "'one + other' is there 2 times"),
        ({"becomes": "one +,"}, "'one +,' makes no Python"),
        ({"text": "at most MOST", "becomes": "at most MOST"}, "changes nothing that runs"),
        ({"package": "large"}, "there is no package large"),
    ],
)
def test_an_entry_that_does_not_fit_the_code_is_an_error_that_says_so(
    wrong: dict[str, str], said: str, little: Path
) -> None:
    with pytest.raises(ListError) as error:
        find(replace(PLAIN, **wrong), little)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("tests", "said"),
    [
        (("test_gone.py",), "there is no tests/test_gone.py"),
        (("test_sums.py::test_gone",), "tests/test_sums.py has no test_gone"),
    ],
)
def test_a_test_that_is_gone_is_an_error_that_says_so(
    tests: tuple[str, ...], said: str, little: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (little / mutants.LIST).write_text(entry(replace(PLAIN, tests=tests)))
    assert mutants.main("", root=little) == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (entry(PLAIN) + entry(PLAIN), "two mutants have this id"),
        (entry(PLAIN).replace("room =", "place ="), "missing or unknown: place, room"),
        (entry(replace(PLAIN, tests=())), "no test is named"),
    ],
)
def test_an_entry_that_is_not_whole_is_an_error_that_says_so(
    text: str, said: str, little: Path
) -> None:
    (little / mutants.LIST).write_text(text)
    with pytest.raises(ListError) as error:
        mutants.read_list(little)
    assert said in str(error.value)


def test_mutants_are_chosen_by_room_and_id() -> None:
    found = [replace(PLAIN, id="a"), replace(PLAIN, id="b", room="other"), replace(PLAIN, id="c")]
    assert [one.id for one in mutants.chosen(found, "other, c")] == ["b", "c"]
    assert mutants.chosen(found, "") == found
    with pytest.raises(ListError, match="the rooms are other, sums"):
        mutants.chosen(found, "nothing")


@pytest.mark.slow
def test_every_entry_of_the_list_fits_the_code() -> None:
    found = mutants.read_list()
    for one in found:
        find(one)
        mutants.check_tests(one)
    assert len(found) >= 40


@pytest.mark.process
def test_a_few_quick_mutants_are_caught() -> None:
    found = mutants.chosen(mutants.read_list(), ",".join(QUICK))
    known = mutants.learned(mutants.ROOT / mutants.LEARNED)
    results = mutants.run(found, jobs=2, learned=known)
    assert [mutants.told(one) for one in results if one.outcome != CAUGHT] == []


@pytest.mark.long
def test_every_mutant_is_caught() -> None:
    known = mutants.learned(mutants.ROOT / mutants.LEARNED)
    results = mutants.run(mutants.read_list(), jobs=2, learned=known)
    assert [mutants.told(one) for one in results if one.outcome != CAUGHT] == []
