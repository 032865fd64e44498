"""What documents tell people to type is understood, and does in a fresh clone what it says."""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from pathlib import Path

import printed_commands as type_
import pytest
from cyclopts import MissingArgumentError
from lumiban import cli, i18n
from places import ROOT
from printed_commands import Clone, Printed

QUICK = ("README.md", "examples/README.md", "docs/guide/my-rule.md")
"""Where people begin; the others run in the whole (`./run test --all`)."""
MANY_SECONDS = ("./run bench ", "./run study examples/")
"""Commands that wait for the whole there too."""
MINE = "./run new-game mine"


def name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


RUN = [
    pytest.param(path, id=name(path), marks=() if name(path) in QUICK else pytest.mark.long)
    for path in type_.documents()
]


@pytest.mark.parametrize("quick", [True, pytest.param(False, marks=pytest.mark.slow)])
def test_a_command_is_understood_as_it_is_printed(quick: bool) -> None:
    texts: dict[tuple[str, bool], Printed] = {}
    for path in type_.documents():
        if (name(path) in QUICK) is quick:
            texts |= {(one.text, one.is_block): one for one in type_.printed(path)}
    for command in texts.values():
        try:
            type_.reason(command)
        except Exception as error:
            error.add_note(f"{name(command.file)}:{command.line}: {command.text}")
            raise


THEIRS = r"\{\w+\}|[A-Z]{2,}"
SAID = re.compile(
    rf"\{{lumiban\}} ([a-z][\w-]*)(?: ([a-z][\w-]*|{THEIRS})\b)?((?: --[a-z-]+(?: (?:{THEIRS}))?)*)"
)
"""A command in a sentence: its name, one word more, and options with what the reader puts in."""


def messages() -> list[tuple[str, re.Match[str]]]:
    """What sentences of the catalogue and helps tell to type: (where, the command)."""
    texts = [
        (f"{language}: {id}", said)
        for language in i18n.LANGUAGES
        for area in i18n.areas(language).values()
        for id, said in area.items()
    ]
    for path in [*(ROOT / "host/lumiban/cli").glob("*.py"), *ROOT.glob("*/*/**/*commands.py")]:
        source = path.read_text("utf-8").replace("{start_word()}", "{lumiban}")
        texts.append((path.name, re.sub(r"\s+", " ", source)))
    return [(where, found) for where, text in texts for found in SAID.finditer(text)]


@pytest.mark.slow
def test_a_command_that_a_message_names_is_understood() -> None:
    from lumiban.cli import flight, records
    from lumiban_hardware import commands as hardware
    from lumiban_lab import commands as lab

    apps = {"flight": flight.app, "hardware": hardware.app, "records": records.app}
    apps |= {"bench": lab.app, "lab": lab.app}
    told = messages()
    assert len(told) > 100
    for where, found in told:
        word, second, options = found.groups(default="")
        assert word in cli.commands(), (where, found[0])
        inner = cli.commands()[word].inner or apps.get(word, ())
        own = second in inner or re.fullmatch(THEIRS, second)
        if word in ("board", "study"):
            assert second in inner, (where, found[0])
        words = [word, *([second] if own else []), *options.split()]
        with suppress(MissingArgumentError):
            type_.understood([re.sub(r"\{\w+\}", "hex3", one) for one in words])


def test_a_file_of_the_checkout_that_a_command_names_is_there() -> None:
    named = {
        (name(path), word)
        for path in type_.documents()
        for one in type_.printed(path)
        for word in one.words
        if re.match(r"(docs|examples|lab|packaging|tests)/", word) and not word.endswith(".sqlite")
    }
    assert {(path, word) for path, word in named if not (ROOT / word).exists()} == set()


def test_a_comment_gives_one_of_the_reasons_and_stands_at_a_command() -> None:
    given: Counter[str] = Counter()
    for path in type_.documents():
        at_commands = Counter(one.mark for one in type_.printed(path) if one.mark)
        comments = Counter(re.findall(r"<!-- not run:? ?(\w*)", path.read_text("utf-8")))
        assert set(comments) == set(at_commands), name(path)
        given += comments
    assert given
    assert set(given) <= set(type_.REASONS)


def mine(path: Path) -> list[Printed]:
    """A document's commands that run, but for those that an earlier one has too."""
    documents = type_.documents()
    before = {
        one.text for other in documents[: documents.index(path)] for one in type_.printed(other)
    }
    return [
        one
        for one in type_.printed(path)
        if ("mine" in one.text or name(path) in QUICK or one.text not in before)
        and not type_.reason(one)
    ]


@pytest.mark.process
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("path", RUN)
def test_what_a_document_tells_to_type_does_what_it_says(
    path: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    commands = mine(path)
    if not request.config.getoption("--all"):
        commands = [one for one in commands if not one.text.startswith(MANY_SECONDS)]
    if not commands:
        return
    clone = Clone(tmp_path, "ja" if "ja" in path.parts or path.name.endswith("ja.md") else "en")
    failed = []
    for command in commands:
        if "mine.py" in command.text and not (clone.folder / "mine.py").exists():
            assert clone.run(MINE).code == 0
        done = clone.run(command.text)
        finds = " ".join(command.words[:2]) in type_.FINDS or command.words[0] in type_.FINDS
        if done.code not in ((0, 1) if finds else (0,)) or "Traceback" in done.out:
            failed.append((command.line, command.text, done.code, done.out[-1000:]))
    assert failed == []
    assert clone.strays() == []
