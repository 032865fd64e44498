"""The maker's guide says what profiles, parts and models say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lumiban.boards.profile import load
from lumiban_hw.guide import facts, pages, pictures
from places import ROOT

DOCS = ROOT / "docs"
PAGES = pages.pages(DOCS)


def named(paths: list[Path]) -> list[object]:
    return [pytest.param(path, id=path.stem) for path in paths]


# Numbers, tables, pictures.


def test_the_three_boards_are_told_with_what_their_profiles_say() -> None:
    told = facts.facts()
    for name in facts.BUILT:
        board = load(name)
        assert told[f"{name}.cells"].words == str(len(board.cells))
        assert told[f"{name}.limit"].words == f"{board.limit_ma / 1000:g} A"
    assert told["foreign"].words == "55 mT"
    assert load("hex5").foreign_ut == 55_000
    low, high = (float(word) for word in told["spacer"].words.removesuffix(" mm").split(" to "))
    assert low < float(told["seat"].words.removesuffix(" mm")) < high


def test_as_long_as_no_board_was_built_no_number_claims_to_be_measured() -> None:
    assert {fact.standing for fact in facts.facts().values()} == {
        "assumed", "computed", "emulated", "chosen",
    }  # fmt: skip
    assert "| measured |" not in (DOCS / "maker" / "honest.md").read_text("utf-8")


def test_every_part_of_both_boards_belongs_to_one_step_of_soldering() -> None:
    base = pages.boards("hex3")[1][0]
    for board, steps in (
        (pages.boards("strip5")[0][0], pictures.STRIP_STEPS),
        (base, pictures.BASE_STEPS),
    ):
        for part in board.parts:
            if part.part.number:
                assert sum(step.holds(part) for step in steps) == 1, part.ref


def test_the_pins_of_the_guide_are_those_of_the_profile() -> None:
    made = pages.pins("hex3", japanese=False)
    told = load("hex3").pins
    assert f"| lights' data | GP{told.data} |" in made
    assert made.count("GP") == 2 + 19 - 1  # the head's, and one a pin


def slug(heading: str) -> str:
    """The anchor of a heading, as forges make it."""
    kept = re.sub(r"[^\w\- ]", "", heading.replace("`", "").strip().lower())
    return kept.replace(" ", "-")


@pytest.mark.parametrize("page", named(PAGES))
def test_links_into_a_page_lead_to_one_of_its_headings(page: Path) -> None:
    text = page.read_text("utf-8")
    for file, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", text):
        there = (page.parent / file if file else page).read_text("utf-8")
        headings = re.findall(r"^#+ (.+)$", there, re.MULTILINE)
        assert anchor in [slug(heading) for heading in headings], (file, anchor)
