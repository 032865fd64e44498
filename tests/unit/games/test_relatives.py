"""Stigmergy, Tumpletore, Tumbleweed and Strands against golden data."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import product, zip_longest
from typing import Any

import pytest
from each import each
from lumiban import games
from lumiban.errors import GameError
from lumiban.games import BLACK, NEUTRAL, WHITE, Game, Position
from lumiban.games.registry import RELATIVES
from lumiban.games.relatives.stigmergy import Stigmergy
from lumiban.search.perft import perft
from places import TESTS

GOLDEN = json.loads((TESTS / "golden" / "relatives.json").read_text("utf-8"))
SIDES = "wb"
SIGHTED = [(slug, one) for slug in ("stigmergy", "tumpletore") for one in GOLDEN[slug]]
SMALL = 5
"""Side up to which all games are played in CI; the larger ones are slow."""


def named(golden: Any) -> str:
    return golden["id"] if isinstance(golden, dict) else str(golden)


def some(listed: list[Any]) -> list[Any]:
    """Cases, the large ones marked slow."""
    return [
        pytest.param(
            *(one if isinstance(one, tuple) else (one,)),
            id=named(one[1] if isinstance(one, tuple) else one),
            marks=[pytest.mark.slow]
            if (one[1] if isinstance(one, tuple) else one)["side"] > SMALL
            else [],
        )
        for one in listed
    ]


def by_cell(game: Game, text: str) -> dict[str, str]:
    """What stands on each cell, by name; rows from the top."""
    return dict(zip(game.grid.names, text.replace("/", ""), strict=True))


def stones(game: Game, text: str) -> dict[str, int]:
    kinds = {"w": WHITE, "b": BLACK, "n": NEUTRAL}
    return {name: kinds[c] for name, c in by_cell(game, text).items() if c in kinds}


def legal(game: Game, position: Position) -> set[str]:
    """All acts of the mover."""
    movers = game.movers(position)
    if not movers:
        return set()
    words = set(game.words(position, movers[0])) - {"resign"}
    return words | {str(move) for move in game.moves(position, movers[0])}


def listed(game: Game, at: dict[str, Any], signs: dict[str, str]) -> set[str]:
    """The legal acts of a golden position."""
    if at.get("legal") is None:
        return set()
    cells = by_cell(game, at["legal"])
    return {signs[c] + name for name, c in cells.items() if c in signs} | set(at["also"])


def counted(game: Game, position: Position) -> list[int]:
    """The points on the board, without a komi."""
    points = [points for _, points in game.scores(position)]
    if isinstance(game, Stigmergy):
        komi = game.grid_view(position).komi
        points[WHITE if komi < 0 else BLACK] -= abs(komi)
    return points


def looked(
    game: Game, golden: dict[str, Any], position: Position, signs: dict[str, str]
) -> Iterator[Position]:
    """The positions of a golden game, each after a look at what is told of it there."""
    told = {at["ply"]: at for at in golden["at"]}
    for ply, text in enumerate([*golden["moves"].split(), None]):
        if (at := told.get(ply)) is not None:
            assert game.movers(position) == (SIDES.index(at["to_move"]),)
            assert game.stones_of(position) == stones(game, at["board"])
            assert legal(game, position) == listed(game, at, signs)
            assert counted(game, position) == at["points"]
            for tried in at.get("after", []):
                after = game.play(position, game.parse(position, tried["move"]))
                assert counted(game, after) == tried["points"]
                assert legal(game, after) == listed(game, tried, signs)
        yield position
        if text is not None:
            position = game.play(position, game.parse(position, text))


@pytest.mark.parametrize(("slug", "golden"), some(SIGHTED))
def test_stigmergy_and_tumpletore_are_played_as_the_library_plays_them(
    slug: str, golden: dict[str, Any]
) -> None:
    game = games.load(slug, size=golden["side"], komi=golden["komi"])
    signs = {"+": "", "x": "x"}
    *_, last = looked(game, golden, game.start(), signs)
    outcome = game.outcome(last)
    assert outcome is not None
    assert counted(game, last) == golden["end"]["points"]
    assert outcome.winner == SIDES.index(golden["end"]["winner"])


@pytest.mark.parametrize("golden", some(GOLDEN["tumbleweed"]))
def test_tumbleweed_is_played_as_the_library_plays_it(golden: dict[str, Any]) -> None:
    given = {name: golden[name] for name in ("neutral", "delay", "quiet")}
    game = games.load("tumbleweed", size=golden["side"], **given)
    kinds = {"white": WHITE, "black": BLACK, "neutral": NEUTRAL}
    start = game.setup({cell: kinds[colour] for colour, cell in golden["set"].items()})
    set_ = [golden["set"][colour] for colour in kinds if game.sets_up > kinds[colour]]
    position = played(game, *set_, "take black")
    assert position == start
    assert legal(game, position) == legal(game, start)
    for position in looked(game, golden, start, {"s": "", "x": "x", "+": "+"}):
        last = position
        at = next((at for at in golden["at"] if at["ply"] == len(position.history)), None)
        if at is not None:
            heights = [number or "." for number in game.numbers(position)]
            assert heights == list(at["heights"].replace("/", ""))
    outcome = game.outcome(last)
    assert outcome is not None
    assert counted(game, last) == golden["end"]["points"]
    winner = golden["end"]["winner"]
    assert outcome.winner == (None if winner not in SIDES else SIDES.index(winner))


@pytest.mark.parametrize("golden", some(GOLDEN["strands"]))
def test_strands_is_played_as_the_library_plays_it(golden: dict[str, Any]) -> None:
    layout = golden["numbers"] if golden["layout"] == "rows" else golden["layout"]
    game = games.load("strands", size=golden["side"], layout=layout)
    assert "".join(game.numbers(game.start())) == golden["numbers"].replace("/", "")
    told = {at["turn"]: at for at in golden["at"]}
    position = game.start()
    for turn, text in enumerate(golden["turns"].split()):
        if (at := told.get(turn)) is not None:
            assert game.movers(position) == (SIDES.index(at["to_move"]),)
            assert game.stones_of(position) == stones(game, at["board"])
            for answer, tries in ((True, at["yes"]), (False, at["no"])):
                for tried in tries:
                    cells = tried.split(",")
                    assert whole_turn(game, position, cells) is answer
        for cell in text.split(","):
            position = game.play(position, game.parse(position, cell))
    outcome = game.outcome(position)
    assert outcome is not None
    assert game.stones_of(position) == stones(game, golden["end"]["board"])
    assert outcome.winner == SIDES.index(golden["end"]["winner"])
    board = game.grid_view(position)
    assert [board.sizes(side) for side in (WHITE, BLACK)] == golden["end"]["sizes"]
    pairs = zip_longest(*golden["end"]["sizes"], fillvalue=0)
    assert game.final_counts(position) == next(pair for pair in pairs if pair[0] != pair[1])


def whole_turn(game: Game, position: Position, cells: list[str]) -> bool:
    """True if these stones are a turn of the mover, no more and no less."""
    side = game.movers(position)
    for cell in cells:
        move = game.parse(position, cell)
        if game.movers(position) != side or game.why_not(position, side[0], move) is not None:
            return False
        position = game.play(position, move)
    return game.movers(position) != side


@pytest.mark.one_case
@pytest.mark.parametrize("golden", GOLDEN["perft"], ids=lambda one: f"{one['game']}-{one['side']}")
def test_sequences_are_as_many_as_the_library_counts(golden: dict[str, Any]) -> None:
    if golden.get("unit") == "turns":
        turns = games.load("strands", size=golden["side"], layout="rings")
        counts = [turns_of(turns, turns.start(), depth) for depth in (1, 2)]
        assert counts == golden["nodes"][:2]
        return
    options = {"layout": "rings"} if golden["game"] == "strands" else {}
    if "komi" in golden:
        options = {"komi": golden["komi"]}
    game: Any = games.load(golden["game"], size=golden["side"], **options)
    nodes = [count for count in golden["nodes"] if count < 6000]
    if "set" not in golden:
        assert perft(game, len(nodes)) == nodes
        return
    kinds = {"white": WHITE, "black": BLACK}
    set_ = {cell: kinds[colour] for colour, cell in golden["set"].items()}
    centre = game.grid.names[len(game.grid) // 2]
    start = game.setup({**set_, centre: NEUTRAL})
    assert [sequences(game, start, depth) for depth in range(1, len(nodes) + 1)] == nodes


def sequences(game: Game, position: Position, depth: int) -> int:
    state, out = game.state(position), [0] * (game.capacity[0] + 1)
    count = int(state.moves(out))
    if depth == 1:
        return count
    total = 0
    for code in out[:count]:
        after = game.play(position, game.move_of(position, code))
        total += sequences(game, after, depth - 1)
    return total


def turns_of(game: Game, position: Position, depth: int) -> int:
    """Sequences of so many turns of Strands, each turn as a set of cells."""
    if depth == 0:
        return 1
    side = game.movers(position)
    ends: dict[frozenset[str], Position] = {}
    begun = {frozenset[str](): position}
    while begun:
        on: dict[frozenset[str], Position] = {}
        for cells, here in begun.items():
            for move in game.moves(here, side[0]):
                after = game.play(here, move)
                (ends if game.movers(after) != side else on)[cells | {move.text}] = after
        begun = on
    if depth == 1:
        return len(ends)
    return sum(turns_of(game, after, depth - 1) for after in ends.values())


def played(game: Game, *texts: str) -> Position:
    position = game.start()
    for text in texts:
        position = game.play(position, game.parse(position, text))
    return position


def test_who_sets_the_stacks_of_tumbleweed_sets_a_free_neutral_one_last() -> None:
    game = games.load("tumbleweed", size=3, neutral="free")
    position = played(game, "c4", "d3")
    meant = {(mark.meaning, mark.side) for mark in game.marks(position, "legal")}
    assert meant == {("may-place-neutral", WHITE)}
    position = played(game, "c4", "d3", "a1")
    assert game.movers(position) == (BLACK,)
    assert game.stones_of(position) == {"c4": WHITE, "d3": BLACK, "a1": NEUTRAL}
    assert game.numbers(position)[game.grid.cell("a1")] == "2"
    position = game.play(position, game.parse(position, "take white"))
    assert game.movers(position) == (WHITE,)
    with pytest.raises(GameError, match="stands in the centre"):
        games.load("tumbleweed", opening="fixed", neutral="free")


@pytest.mark.parametrize("slug", ["stigmergy", "tumpletore"])
def test_a_komi_beside_one_that_a_player_names_is_refused(slug: str) -> None:
    with pytest.raises(GameError, match=r"komi=3 and opening=komi exclude each other"):
        games.load(slug, opening="komi", komi=3)
    games.load(slug, **games.load(slug, opening="komi").options)


@pytest.mark.parametrize(
    "options",
    [
        {"size": 4, "layout": "fixed"},
        {"size": 3, "layout": "111/1111/11111/1111/111"},
        {"layout": "nonsense"},
    ],
)
def test_a_layout_that_there_is_not_is_told(options: dict[str, Any]) -> None:
    with pytest.raises(GameError, match="has no layout"):
        games.load("strands", **options)


def test_a_random_layout_has_its_numbers_ring_by_ring_and_comes_from_the_seed() -> None:
    game = games.load("strands", size=6, layout="random")
    numbers = "".join(game.numbers(game.start(7)))
    assert numbers == "".join(game.numbers(game.start(7)))
    assert numbers != "".join(game.numbers(game.start(8)))
    counts = {"1": 3, "2": 4 + 11 + 12, "3": 1 + 6 + 22, "4": 2 + 10, "5": 20}
    assert {digit: numbers.count(digit) for digit in "12345"} == counts
    corners = [cell for cell, near in enumerate(game.grid.neighbours) if len(near) == 3]
    assert {numbers[cell] for cell in corners} == {"5"}


@pytest.mark.one_case
@pytest.mark.parametrize("slug", RELATIVES)
def test_options_that_exclude_each_other_are_refused_when_the_game_is_made(slug: str) -> None:
    accepts = games.game_class(slug).accepts
    ends = ({*option.values[:2], *option.values[-2:]} for option in accepts)
    for values in product(*ends):
        options = {option.name: value for option, value in zip(accepts, values, strict=True)}
        try:
            game = games.load(slug, **options)
        except GameError:
            continue
        assert game.movers(game.start()) == (WHITE,)


@each("size", games.game_class("strands").accepts[0].values)
def test_every_size_of_strands_that_is_listed_has_a_layout_of_its_own(size: int) -> None:
    assert games.load("strands", size=size).start()


def test_a_komi_goes_to_one_more_than_the_cells() -> None:
    game = games.load("stigmergy", size=3, komi=-20)
    assert games.load("stigmergy", **game.options) == game
    assert game.scores(game.start())[WHITE][1] == 20
    for wrong in (21, "much"):
        with pytest.raises(GameError, match="komi is one of -20 to 20"):
            games.load("stigmergy", size=3, komi=wrong)
    named = games.load("stigmergy", size=3, opening="komi")
    assert {"komi -20", "komi 20"} <= set(named.words(named.start(), WHITE))


def test_quiet_counts_from_the_first_move_that_changes_no_points() -> None:
    game = games.load("tumbleweed", size=3, opening="fixed", quiet=20)
    board = game.grid_view(game.start())
    assert (board.white, board.black) == game.points(board) != (0, 0)  # type: ignore[attr-defined]
    lone = game.setup({"c1": WHITE, "c5": BLACK, "c3": 2}, to_move=WHITE, opens=0)
    assert game.grid_view(played_from(game, lone, "pass")).calm == 1


def played_from(game: Game, position: Position, *texts: str) -> Position:
    for text in texts:
        position = game.play(position, game.parse(position, text))
    return position
