"""What people type wrongly: one line that says what is wrong and where, and no traceback."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lumiban import cli
from lumiban.boards.profile import names

RENGI = "/".join(["......"] * 13)


def complaint(capsys: pytest.CaptureFixture[str], *words: str, code: int = 2) -> str:
    """The one line that this command line ends with."""
    assert cli.run(words) == code
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 1, lines
    assert lines[0].startswith("lumiban: ")
    return lines[0].removeprefix("lumiban: ")


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("analize", "did you mean analyse?"),
        ("xyzzy", "the commands are demo, play"),
        ("study perft control", "--depth is missing"),
        ("study perft control -d", "-d needs a value"),
        ("study match control --a easy", "--b is missing"),
        ("play control --port abc", "--port 'abc' is not a whole number"),
        ("study ojama x", "POINTS 'x' is not a whole number"),
        ("study ojama 99999999999999999999", "Must be <= 1000000000"),
        ("study ojama 7 --carried 99999999999999999999", "Must be <= 1000000000"),
        ("new-game games/", "'games/' names no file"),
        ("play control extra", "'extra' is one word too many"),
        ("play control --secnod human", "there is no option --secnod; did you mean --second?"),
        ("play control --size 3", "told as -o size=VALUE"),
        ("games --size 3", "there is no option --size. See: lumiban games --help"),
        ("play contol", "there is no game 'contol'; did you mean control? The games are control, "),
        ("play Dovs", "did you mean doves?"),
        ("games rules interleaf", "did you mean interleave?"),
        ("games picture dove --out a.svg", "did you mean doves?"),
        ("games check trivial", "did you mean trivia?"),
        ("games rengy", "did you mean rengi?"),
        ("study perft evning -d 1", "did you mean evening?"),
        ("study match contrl --a easy --b easy", "did you mean control?"),
        ("analyse contrl", "did you mean control?"),
        ("play zzz", "there is no game 'zzz': the games are control, "),
        ("hardware build hex5", "--out is missing: name the folder for the files, as in --out kit"),
        ("bench nosuch", "there is no bench 'nosuch': there are "),
        ("flight nosuch", "there is no flight 'nosuch': there are export, show"),
        (
            "hardware solder",
            "unknown command 'solder'. Available commands: build, release, check, power, pieces.",
        ),
        ("games check control --games 0", "'0' for --games. Must be >= 1"),
    ],
)
def test_words_not_understood_are_named_and_the_way_on_is_told(
    capsys: pytest.CaptureFixture[str], typed: str, told: str
) -> None:
    assert told in complaint(capsys, *typed.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--hint", "loud"), "--hint is one of none, legal, control, coach, not 'loud'"),
        (("--position", "c3"), "--position: 'c3' is not of the form cell=colour, as in c3=white"),
        (("--position", "z9=white"), "--position: no cell 'z9' here"),
        (("--position", "b2=black"), "--position: 0 white and 1 black stones"),
        (("--touch", "q9=white"), "--touch: no cell 'q9' here"),
        (("--moves", "a1, a1"), "--moves, move 2: a1: "),
    ],
)
def test_a_position_that_cannot_be_is_told_with_its_option(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: tuple[str, str], told: str
) -> None:
    picture = tmp_path / "a.svg"
    said = complaint(capsys, "games", "picture", "control", "--out", str(picture), *words)
    assert said.startswith(told)
    assert not picture.exists()


def test_rengi_s_fields_are_asked_for_in_their_form(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = str(tmp_path / "a.svg")
    said = complaint(capsys, "games", "picture", "rengi", "--out", out, "--position", RENGI)
    assert said.startswith("--position: both fields with a | between")


@pytest.mark.parametrize("words", ["games picture control --out", "analyse control --picture"])
def test_a_picture_that_cannot_be_written_is_told_before_any_thought(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, words: str
) -> None:
    missing = tmp_path / "no" / "a.svg"
    assert f"there is no folder {missing.parent}" in complaint(capsys, *words.split(), str(missing))
    assert "is a folder" in complaint(capsys, *words.split(), str(tmp_path))


def test_a_puzzle_s_file_is_looked_at_before_the_search(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    said = complaint(capsys, "study", "puzzles", "--file", str(tmp_path / "no" / "p"))
    assert said == f"--file {tmp_path / 'no' / 'p'}: there is no folder {tmp_path / 'no'}"


def test_a_game_s_file_is_meant_by_its_name_without_the_suffix(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "doves2.py").write_text("", "utf-8")
    assert "did you mean doves2.py?" in complaint(capsys, "play", "doves2")


def test_a_board_that_there_is_not_is_told_before_a_folder_that_is_missing(
    capsys: pytest.CaptureFixture[str],
) -> None:
    said = complaint(capsys, "hardware", "build", "hex4", code=3)
    assert said.startswith("no board profile 'hex4': choose from ")


@pytest.mark.parametrize("command", ["play", "sim", "board gpio"])
def test_a_help_that_lists_boards_lists_all_of_them(
    capsys: pytest.CaptureFixture[str], command: str
) -> None:
    assert cli.run([*command.split(), "--help"]) == 0
    said = capsys.readouterr().out
    assert [name for name in names() if name not in said] == []


@pytest.mark.parametrize("command", ["selftest", "calibrate", "flash"])
def test_a_profile_for_a_simulated_board_is_looked_up_before_it_starts(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    command: str,
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "home"))
    said = complaint(capsys, "board", command, "--port", "sim", "--profile", "nosuch", code=3)
    assert said.startswith("no board profile 'nosuch': choose from ")


def test_a_kit_is_not_made_over_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "kit"
    file.write_text("", "utf-8")
    said = complaint(capsys, "hardware", "build", "strip5", "--out", str(file))
    assert said == f"--out {file} is a file: name a folder"


@pytest.mark.parametrize(
    "words",
    [
        "study run AT",
        "study komi AT",
        "study match control --a easy --b easy --keep AT",
        "study balance control --keep AT",
        "study report AT",
        "study puzzles doves --file AT",
        "replay AT",
        "sim --figures AT",
        "sim --faults AT",
        "hardware check AT",
        "restore AT",
    ],
)
def test_a_folder_or_bytes_where_a_file_is_meant_are_told_in_words(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path / "home"))
    bytes_ = tmp_path / "bytes.txt"
    bytes_.write_bytes(bytes(range(256)))
    for at in (tmp_path, bytes_):
        assert cli.run(words.replace("AT", str(at)).split()) in (1, 2, 3)
        said = capsys.readouterr().err
        assert str(at) in said
        assert not re.search(r"Errno|codec|Traceback|Error\b", said), said
