"""Worked examples of the guide are what the program plays, in both languages."""

from __future__ import annotations

import json
import re

from lumiban_lab.documents import examples
from places import TESTS

RENGI = json.loads((TESTS / "golden" / "rengi.json").read_text("utf-8"))
GOLDEN = RENGI["offset_interrupt"]


def test_every_chapter_holds_its_examples_as_they_are_played_now() -> None:
    found: dict[str, set[str]] = {"en": set(), "ja": set()}
    for language, chapter in examples.chapters():
        text = chapter.read_text("utf-8")
        assert examples.written(text, language) == text, f"{chapter}: ./run docs"
        found[language] |= set(re.findall(r"<!-- example (\S+),", text))
    assert found["en"] == found["ja"] == set(examples.MADE)


def test_the_printed_interrupt_is_its_authors_row_by_row() -> None:
    for language in ("en", "ja"):
        lines = examples.interrupt(language).splitlines()[2:]
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
        assert len(rows) == len(GOLDEN["rows"]) == 19
        for row, right in zip(rows, GOLDEN["rows"], strict=True):
            a, b = int(row[6]), int(row[7])
            if right["row"] < 19:
                assert (a, b) == (right["A"] or 0, right["B"] or 0), right
            for score, ojama, player in ((2, 3, "p1"), (4, 5, "p2")):
                if right["row"] < 19:
                    assert int(row[score]) == right[f"{player}_score"], right
                    assert int(row[ojama]) == right[f"{player}_ojama"], right
        # All 110 are forecast, of which five rows fall at once and 80 wait.
        assert int(rows[18][6]) + 30 == GOLDEN["final"]["second_fall"] == 110
        assert "12" in rows[14][1]


# One figure of each printed table by another way: from the words of its rule, not by our program.


def beside(side: int) -> dict[str, set[str]]:
    """By name the cells next to each on a hexagon; rows are named from the bottom."""
    at = {
        f"{letter}{n}": (n - 1 + max(0, row - side + 1), row)
        for row, letter in enumerate("abcdefghijk"[: 2 * side - 1])
        for n in range(1, 2 * side - abs(row - side + 1))
    }
    steps = ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1))
    named = {place: name for name, place in at.items()}
    return {
        name: {named[q + x, r + y] for x, y in steps if (q + x, r + y) in named}
        for name, (q, r) in at.items()
    }


def sides_of(alternating: str) -> dict[str, str]:
    return {cell: "wb"[n % 2] for n, cell in enumerate(alternating.split())}


def named(stones: str) -> dict[str, str]:
    return {word[1:]: word[0] for word in stones.split()}


def counts(side: int, stones: dict[str, str], cell: str) -> str:
    near = [stones.get(other) for other in beside(side)[cell]]
    return f"{near.count('w')} : {near.count('b')}"


def groups(near: dict[str, set[str]], stones: dict[str, str], colour: str) -> list[int]:
    left, sizes = {cell for cell, one in stones.items() if one == colour}, []
    while left:
        group = {left.pop()}
        while more := {n for cell in group for n in near[cell]} & left:
            group |= more
            left -= more
        sizes.append(len(group))
    return sorted(sizes, reverse=True)


def printed(name: str) -> str:
    made: str = examples.MADE[name]("en")
    return made


def test_the_figures_of_control_and_evening_follow_from_a_count_of_neighbours() -> None:
    stones = sides_of("d1 c3 d2 d4")
    assert f"| d3 | {counts(4, sides_of('d1 c3 d2'), 'd3')} |" in printed("tie")
    assert f"| {counts(4, stones, 'd3')} | Black |" in printed("tie")
    stones = sides_of("e1 g1 f1 f4")
    assert f"| f2 | {counts(4, stones, 'f2')} | nobody |" in printed("removal")
    stones.pop("g1")
    assert f"| {counts(4, stones, 'f2')} | White |" in printed("removal")
    stones, near = sides_of("b1 c5 d3 b3 e3 c3 e1 b2 c1"), beside(3)
    lean = {c: [stones.get(n) for n in near[c]] for c in near if c not in stones}
    territories = (
        sum(one.count("w") > one.count("b") for one in lean.values()),
        sum(one.count("b") > one.count("w") for one in lean.values()),
    )
    assert "territories are {} and {}".format(*territories) in printed("tied-count")
    stones = named("wc4 bd4 bb3 wc3")
    assert "| d3 | 0 : 1 | White | 2 : 1 |" in printed("groups")
    assert groups(beside(4), stones, "w") == [2]
    assert {"c3", "d4"} <= beside(4)["d3"], "a group of two whites, and one black"
    stones = named(examples.CASCADE)
    white, black = (groups(beside(3), stones, colour) for colour in "wb")
    assert (white[:2], black[:2]) == ([5, 3], [5, 4])
    assert "| 2 | 3 | 4 | **Black wins** |" in printed("cascade")
    assert "with 5 stones each" in printed("odd-even")
    assert "wb1 bc1 ba1 wd1 bd2 wd3 bd4 wc5 bb4 wa3".count("w") == 5


def test_the_figures_of_trivia_follow_from_a_count_of_neighbours() -> None:
    near = {
        f"{x}{y}": {f"{chr(ord(x) + a)}{y + b}" for a, b in ((1, 0), (-1, 0), (0, 1), (0, -1))}
        for x in "abc"
        for y in (1, 2, 3)
    }
    stones = dict.fromkeys(("a3", "a1", "b1"), "w") | dict.fromkeys(("a2", "c3", "b2", "c1"), "b")
    white, black = (groups(near, stones, colour) for colour in "wb")
    told = f"White's groups: {', '.join(map(str, white))}. Black's: {', '.join(map(str, black))}."
    assert told in printed("full-board")


def test_the_figures_of_rengi_follow_from_the_papers_tables() -> None:
    step = 4 * 10 * RENGI["bonus"]["chain"][1]
    assert f"| 2 | `BBBB..` | 4 | {step} | {(40 + step) // 70} |" in printed("chain")
    assert f"| 20 | 5 | {20 - (40 + step) // 70} | 0 |" in printed("offset")
    assert f"| `RR3.1` | {4 * 10 + RENGI['all_clear']['points']} | yes |" in printed("all-clear")
    assert f"| `3` | 8 | 1 1 1 1 1 1 | {8 % 3} |" in printed("ojama-units")
    # Five rows fall into each column; five columns are eleven high, of thirteen.
    assert f"| `on` | 30 | {5 * (5 - (13 - 11))} | {5 * (5 - (13 - 11))} |" in printed("otsuri")
