"""The guide's pictures are those that the program draws, byte for byte."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lumiban.cli import run
from lumiban_lab.documents import draw
from places import ROOT

OTHERS = re.compile(r"(game|hardware|lobby|maker|recipe)-|refusal|stone-way|plots/")
"""Pictures that other tests draw anew."""
PICTURES = [found for chapter in draw.chapters() for found in draw.pictures(chapter)]


@pytest.mark.parametrize(("words", "file"), PICTURES, ids=[out.stem for _, out in PICTURES])
def test_a_picture_is_as_it_would_be_drawn_now(
    words: list[str], file: Path, tmp_path: Path
) -> None:
    out = tmp_path / "now.svg"
    assert run([*words, "--out", str(out)]) == 0
    assert file.read_bytes() == out.read_bytes(), "draw it anew: ./run docs"


def test_every_picture_is_shown_and_every_chapter_has_some() -> None:
    shown = set((ROOT / "docs" / "pictures").glob("*.svg"))
    assert {out for _, out in PICTURES} == {one for one in shown if not OTHERS.search(one.name)}
    for name in ("control", "evening", "trivia", "doves", "rengi"):
        assert len(list(draw.pictures(ROOT / "docs" / "guide" / f"{name}.md"))) >= 3


def test_no_image_of_the_guide_was_drawn_by_hand() -> None:
    for chapter in draw.chapters():
        images = re.findall(r"!\[.*?\]\((.*?\.svg)\)", chapter.read_text("utf-8"))
        images = [image for image in images if not OTHERS.search(image)]
        assert len(images) == len(list(draw.pictures(chapter))), chapter.name


def test_a_command_that_draws_another_file_than_is_shown_is_found(tmp_path: Path) -> None:
    chapter = tmp_path / "x.md"
    chapter.write_text(
        "<!-- ./run games picture control --out docs/pictures/a.svg -->\n![t](b.svg)\n"
    )
    with pytest.raises(ValueError, match=r"b\.svg is shown"):
        list(draw.pictures(chapter))
