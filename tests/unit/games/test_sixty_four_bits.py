"""No number of a kernel outgrows 64 bits, but where its text says `wrapped`.

The compiler takes for granted that sums and products do not wrap. Where one did, a compiled game
might go on in nonsense while plain Python, whose numbers grow, still plays by the rules. So the
kernels run in plain Python here, on numbers that complain.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lumiban import games
from lumiban.games import kernel
from lumiban.games.kernel import hash_table, play_out

WORD = 1 << 63


class Narrow(int):
    """A number of 64 bits with a sign; what comes of it is one too. OverflowError."""


def narrow(value: Any) -> Any:
    if type(value) is not int:
        return value
    if not -WORD <= value < WORD:
        raise OverflowError(f"{value} has more than 64 bits")
    return Narrow(value)


def _narrowing(name: str) -> Callable[..., Any]:
    run = getattr(int, name)
    return lambda *numbers: narrow(run(*numbers))


for _name in ("add", "sub", "mul", "lshift", "rshift", "and", "or", "xor", "floordiv", "mod"):
    for _door in (f"__{_name}__", f"__r{_name}__"):
        setattr(Narrow, _door, _narrowing(_door))
for _door in ("__neg__", "__invert__", "__abs__"):
    setattr(Narrow, _door, _narrowing(_door))


def _low_bits(x: int, by: int, plus: int) -> int:
    return type(x)((int(x) * int(by) + int(plus)) & 0x7FFFFFFFFFFFFFFF)


@pytest.fixture
def marked(monkeypatch: pytest.MonkeyPatch) -> None:
    """`wrapped` may do what it says, wherever it is called."""
    monkeypatch.setattr(kernel.wrapped, "__code__", _low_bits.__code__)


GAMES = [
    ("control", {}), ("control", {"sees": "sight"}), ("control", {"size": 12}),
    ("evening", {}), ("evening", {"size": 12}), ("trivia", {}), ("trivia", {"size": 19}),
    ("doves", {}), ("rengi", {}),
]  # fmt: skip


@pytest.mark.one_case
@pytest.mark.parametrize(("slug", "options"), GAMES)
@pytest.mark.usefixtures("marked")
def test_random_games_stay_within_64_bits(slug: str, options: dict[str, int | str]) -> None:
    game = games.load(slug, **options)

    @settings(max_examples=5)
    @given(st.integers(0, 2**62))
    def law(seed: int) -> None:
        root, state = (
            type(made)(*([Narrow(n) for n in row] for row in made))
            for made in (game.state(game.start()), game.state(game.start()))
        )
        rng = [Narrow(n) for n in hash_table(1, seed)]
        play_out(root, state, rng, [Narrow(0)] * (game.capacity[1] + 2), 1)
        assert type(rng[0]) is Narrow, "the numbers have come through"
        state.key()

    law()
