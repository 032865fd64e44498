"""Themes and the grammar of light: nothing is told by colour alone, nothing flashes too fast."""

from __future__ import annotations

from array import array
from itertools import combinations, pairwise

import pytest
from lumiban.errors import UsageError
from lumiban.games import mark_kinds
from lumiban.scene import themes
from lumiban.scene.grammar import FLASHES_LIMIT, GRAMMAR, PRIORITY, Pattern, Rule, Strength
from lumiban.scene.light import Effect
from lumiban.scene.themes import ENTRIES, INDEX, THEMES, palette, share
from lumiban_fw import wire
from lumiban_fw.effects import FRAME_US, LEVELS


def looks() -> list[tuple[str, Pattern, Rule]]:
    """Each look of each meaning once."""
    found = []
    for meaning, rule in GRAMMAR.items():
        for side in (0, 1) if len(set(rule.sides)) > 1 else (0,):
            found.append((f"{meaning} {side}", rule.sides[side], rule))
    return found


def confusable() -> list[tuple[str, Pattern, str, Pattern]]:
    """Pairs of looks that can be seen at the same time on the same kind of place."""
    found = []
    for (name, look, rule), (other_name, other, other_rule) in combinations(looks(), 2):
        same = name.split()[0] == other_name.split()[0]
        told_apart = name.split()[0] in (mark_kinds.OWNED, mark_kinds.LIGHT_STONE)
        if (
            (not same or told_apart)
            and rule.where & other_rule.where
            and (rule.when & other_rule.when)
        ):
            found.append((name, look, other_name, other))
    return found


def burns(look: Pattern, covered: bool) -> tuple[float, ...]:
    """How bright a light is in each frame of ten seconds, as an eye without colours sees it."""
    levels = LEVELS[look.effect]
    seen = share(look.strength, covered) * (1 - themes.HIDDEN if covered else 1)
    return tuple(round(levels[k % len(levels)] / 255 * seen, 4) for k in range(600))


def test_every_meaning_has_a_pattern_and_a_rank() -> None:
    assert set(GRAMMAR) == mark_kinds.MEANINGS
    assert sorted(PRIORITY) == sorted(GRAMMAR)


def test_effects_have_the_numbers_of_the_wire() -> None:
    assert {e.name: e.value for e in Effect} == {
        name: getattr(wire, name)
        for name in (
            "STEADY", "BLINK", "FAST_BLINK", "BREATHE", "PULSE", "PULSE_B", "PROOF", "CHASE",
        )
    }  # fmt: skip
    assert len(Effect) == wire.EFFECTS


def test_there_are_pairs_that_could_be_confused() -> None:
    names = {frozenset((a, b)) for a, _, b, _ in confusable()}
    assert frozenset(("owned 0", "owned 1")) in names
    assert frozenset(("light-stone 0", "light-stone 1")) in names
    assert frozenset(("light-stone 0", "last 0")) in names
    assert frozenset(("may-place 0", "owned 1")) in names
    assert len(names) > 20


@pytest.mark.one_case
@pytest.mark.parametrize("covered", [False, True])
def test_what_can_be_confused_differs_in_more_than_colour(covered: bool) -> None:
    for name, look, other_name, other in confusable():
        if covered and "piece" not in (GRAMMAR[name.split()[0]].where):
            continue
        assert (look.strength, look.effect) != (other.strength, other.effect), (name, other_name)
        assert burns(look, covered) != burns(other, covered), (name, other_name)


def test_strengths_are_more_than_twice_apart_also_under_a_piece() -> None:
    for covered in (False, True):
        seen = [share(s, covered) for s in Strength]
        for below, above in pairwise(seen):
            assert above >= 2 * below


def test_nothing_flashes_more_than_three_times_a_second() -> None:
    second = 1_000_000 // FRAME_US
    for meaning, rule in GRAMMAR.items():
        for look in rule.sides:
            levels = list(LEVELS[look.effect])
            turning = (levels * (1 + 3 * second // len(levels)))[: 3 * second]
            rises = [int(a < 128 <= b) for a, b in pairwise(turning)]
            most = max(sum(rises[k : k + second]) for k in range(len(rises) - second))
            assert most <= FLASHES_LIMIT, meaning


@pytest.mark.parametrize("name", THEMES)
def test_a_palette_begins_black_and_fits_the_board(name: str) -> None:
    colours = palette(name)
    assert colours[0] == (0, 0, 0)
    assert len(colours) == len(ENTRIES) + 1 <= wire.PALETTE_SIZE
    assert all(0 <= value <= 255 for colour in colours for value in colour)


@pytest.mark.parametrize("name", THEMES)
def test_every_look_shines_on_a_real_board(name: str) -> None:
    """Even the faintest is not rounded away at the brightness that a board starts with."""
    from lumiban_fw.gamma import GAMMA
    from lumiban_fw.wire import BRIGHTNESS

    gamma = array("H", GAMMA)
    for look in {look for rule in GRAMMAR.values() for look in rule.sides}:
        for strength in {look.strength, Strength.FAINT}:
            colour = palette(name)[INDEX[look.role, strength, False]]
            drive = [(gamma[value] * BRIGHTNESS + 32767) // 65535 for value in colour]
            assert max(drive) >= 1, (look, strength)


def test_a_palette_s_lights_are_in_linear_light_what_their_strength_says() -> None:
    """Its role's colour, dimmed for a board of gamma 2.2; a piece hides half."""
    for (role, strength, covered), colour in zip(ENTRIES, palette("standard")[1:], strict=True):
        linear = min(1.0, (0.03, 0.08, 0.22, 0.6)[strength] * (2 if covered else 1))
        for value, most in zip(colour, THEMES["standard"].roles[role], strict=True):
            assert abs(value - most * linear ** (1 / 2.2)) <= 0.6


def test_monochrome_has_one_hue() -> None:
    shares = {
        tuple(round(value / max(colour), 1) for value in colour)
        for colour in palette("monochrome")[1:]
        if max(colour) > 100
    }
    assert len(shares) == 1


def test_blue_orange_tells_its_sides_without_red_and_green() -> None:
    roles = THEMES["blue-orange"].roles
    assert roles["white"][0] > roles["white"][2] + 100
    assert roles["black"][2] > roles["black"][0] + 100


def test_an_unknown_theme_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageError, match="standard, blue-orange, monochrome"):
        palette("neon")
