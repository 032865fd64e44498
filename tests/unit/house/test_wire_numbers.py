"""The lint rule that no number of the wire is written twice (.ci/wire_numbers.py)."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import ModuleType

import pytest
from places import ROOT
from scripts import module_of


@pytest.fixture(scope="module")
def rule() -> ModuleType:
    return module_of(ROOT / ".ci/wire_numbers.py")


@pytest.mark.slow
def test_this_checkout_writes_no_number_of_the_wire_twice(rule: ModuleType) -> None:
    assert rule.check(ROOT) == []


def test_the_rule_knows_the_wire(rule: ModuleType) -> None:
    from lumiban_fw import wire

    told = rule.numbers(ROOT)
    assert {name: told[name] for name in ("FIRST_BUTTON", "AGED_AFTER_US", "UNSURE_MOST_US")} == {
        "FIRST_BUTTON": wire.FIRST_BUTTON,
        "AGED_AFTER_US": wire.AGED_AFTER_US,
        "UNSURE_MOST_US": wire.UNSURE_MOST_US,
    }
    assert told.items() >= {k: v for k, v in vars(wire).items() if k[:2] in ("H_", "B_")}.items()


@pytest.mark.parametrize(
    "line",
    [
        "ORDER_HZ = 500",
        "FIRST_BUTTON = 240",
        "BUTTON_DOWN = 8",
        "RESCUE = 32",
        "REFERENCE = 15",
        "BEAT_US = 450_000",
        "EMPTY, WHITE, BLACK, NEUTRAL = 0, 1, 2, 3",
        "_RING: int = 256",
        "LEAST_SURE_US = 12_750",
        "order = bool(self.capabilities & 8)",
        "major = flags >> 4",
        "ours = kind & 0x80",
        "lies = event.kind in (1, 2, 3)",
        "down = 9 == said.kind",
        "button = event.cell - 240",
    ],
)
def test_a_planted_copy_is_caught(rule: ModuleType, tmp_path: Path, line: str) -> None:
    path = tmp_path / "planted.py"
    path.write_text(line + "\n", "utf-8")
    told = list(rule.found(path, "host/lumiban/boards/planted.py", rule.numbers(ROOT)))
    assert told
    assert all(one.startswith("host/lumiban/boards/planted.py:1: ") for one in told)


@pytest.mark.parametrize(
    "line",
    [
        "BEAT_US = wire.BEAT_US * 9 // 10",
        "RING = 512  # own: of readings",
        "order = bool(self.capabilities & wire.INJECTING)",
        "sides = [kind - 1 for kind in kinds]",
        "gone = kind == 0",
        "PATIENCE_US = 1_500_000",
        "size = 8",
    ],
)
def test_what_only_looks_like_one_is_left_alone(
    rule: ModuleType, tmp_path: Path, line: str
) -> None:
    path = tmp_path / "planted.py"
    path.write_text(line + "\n", "utf-8")
    assert list(rule.found(path, "host/lumiban/boards/planted.py", rule.numbers(ROOT))) == []


@pytest.mark.parametrize(
    ("file", "name"), [("games/types.py", "Kind"), ("scene/light.py", "Effect")]
)
def test_a_copy_behind_a_wall_that_goes_its_own_way_is_caught(
    rule: ModuleType, tmp_path: Path, file: str, name: str
) -> None:
    shown = f"host/lumiban/{file}"
    text = (ROOT / shown).read_text("utf-8")
    path = tmp_path / "copy.py"
    for old, new in [("BLACK = 2", "BLACK = 3"), ("PULSE_B = 5", "PULSE_B = 8")]:
        if old in text:
            path.write_text(text.replace(old, new), "utf-8")
            (told,) = rule.found(path, shown, rule.numbers(ROOT))
            assert "on the wire" in told


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("wire.js", "BLACK = 2;", "BLACK = 3;"),
        ("wire.js", "CHASE = 7;", "CHASE = 6;"),
        ("stones.js", "kind === BLACK", "kind === 2"),
        ("stones.js", "[WHITE]: ", "1: "),
        ("light.js", "effect === CHASE", "effect === 7"),
    ],
)
def test_a_copy_on_the_page_is_caught(
    rule: ModuleType, tmp_path: Path, file: str, old: str, new: str
) -> None:
    page = tmp_path / rule.PAGE
    shutil.copytree(ROOT / rule.PAGE, page)
    known = rule.numbers(ROOT)
    assert list(rule.on_the_page(tmp_path, known)) == []
    script = page / file
    script.write_text(script.read_text("utf-8").replace(old, new), "utf-8")
    assert list(rule.on_the_page(tmp_path, known))
