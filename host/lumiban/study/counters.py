"""What is counted of a game beside its result: stones, removals, leads, chains, bans.

A counter is a number a game, under a name; studies give its mean and its spread. Those of all games
come from their pieces; those of one game from what its rules say of a move.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from lumiban import games
from lumiban.games.base import Game, Kind, Move, Position
from lumiban.games.light_game import LightGame
from lumiban.games.rengi.game import Rengi
from lumiban.study.match import to_act

Counts = dict[str, float]

KIND_NAMES: Mapping[Kind, str] = {Kind.WHITE: "white", Kind.BLACK: "black", Kind.NEUTRAL: "neutral"}


def counts_of(game: Game, positions: Sequence[Position], moves: Sequence[Move]) -> Counts:
    """All counters of a game: `positions` from its start to its end, and the moves between.

    `most_white`, `most_black`, `most_neutral`: stones of a kind that stood at once; `full`: 1 when
    no cell was empty in the end; `removed`: pieces that left their cell or changed, moved ones
    too; further ones by game (`COUNTERS`).

    >>> from lumiban import games
    >>> game = games.load("control", size=3)
    >>> start = game.start()
    >>> after = game.play(start, game.parse(start, "a1"))
    >>> counts_of(game, [start, after], [game.parse(start, "a1")])["most_white"]
    1
    """
    found: Counts = {}
    if not isinstance(game, LightGame):
        found = _of_pieces([game.pieces(position) for position in positions])
    of_this = COUNTERS.get(game.slug)
    return found if of_this is None else found | of_this(game, positions, moves)


def _of_pieces(pictures: Sequence[Sequence[Kind]]) -> Counts:
    found: Counts = {
        f"most_{name}": max(picture.count(kind) for picture in pictures)
        for kind, name in KIND_NAMES.items()
    }
    found["full"] = int(Kind.EMPTY not in pictures[-1])
    found["removed"] = sum(
        was not in (Kind.EMPTY, now)
        for before, after in pairwise(pictures)
        for was, now in zip(before, after, strict=True)
    )
    return found


def _lead_changes(leads: Sequence[int]) -> int:
    """How often the lead went from one side to the other; a tie between them changes nothing.

    >>> _lead_changes([0, 3, 0, 1, -2, 0, 5])
    2
    """
    signs = [lead > 0 for lead in leads if lead]
    return sum(one != other for one, other in pairwise(signs))


def _of_control(game: Game, positions: Sequence[Position], moves: Sequence[Move]) -> Counts:
    """`lead_changes` by stones and territory together."""
    totals = [[sum(counts) for counts in game.scores(position)] for position in positions]
    return {"lead_changes": _lead_changes([white - black for white, black in totals])}


def _of_evening(game: Game, positions: Sequence[Position], moves: Sequence[Move]) -> Counts:
    """`lead_changes` by stones; `narrowest`: the fewest cells that were open to a side to move."""
    stones = [[counts[0] for counts in game.scores(position)] for position in positions]
    open_cells = [len(game.moves(position, to_act(game, position))) for position in positions[:-1]]
    return {
        "lead_changes": _lead_changes([white - black for white, black in stones]),
        "narrowest": min(open_cells, default=0),
    }


def _of_trivia(game: Game, positions: Sequence[Position], moves: Sequence[Move]) -> Counts:
    """`lead_changes` by the largest group; `margin`: how much larger the winner's was."""
    largest = [[counts[1] for counts in game.scores(position)] for position in positions]
    leads = [white - black for white, black in largest]
    return {"lead_changes": _lead_changes(leads), "margin": abs(leads[-1])}


def _of_doves(game: Game, positions: Sequence[Position], moves: Sequence[Move]) -> Counts:
    """`banned_plies`: plies at which a ban took at least one action; `banned`: actions that bans
    took, over all plies. The actions without bans are those of the same game without them."""
    free = games.load("doves", **{**game.options, "repetition": "off", "initial": "allowed"})
    position = free.start(positions[0].seed)
    for move in positions[0].history:
        position = free.play(position, free.parse(position, move.text, move.side))
    banned = []
    for here, move in zip(positions, moves, strict=False):
        side = to_act(game, here)
        banned.append(len(free.moves(position, side)) - len(game.moves(here, side)))
        if move.is_word:
            break
        position = free.play(position, free.parse(position, move.text, move.side))
    return {"banned_plies": sum(count > 0 for count in banned), "banned": sum(banned)}


def _of_rengi(game: Game, positions: Sequence[Position], moves: Sequence[Move]) -> Counts:
    """`hands`; `passes`; `chains`, `longest_chain` and `chain_steps` (the mean); `first_attack`:
    the hand at which ojama was first made, 0 when none was; `falls`, `largest_fall` and `fallen`
    (blocks of ojama); `answered`: chains fired under a forecast."""
    assert isinstance(game, Rengi)
    chains: list[int] = []
    falls: list[int] = []
    first_attack = passes = answered = 0
    for number, (position, move) in enumerate(zip(positions, moves, strict=False), 1):
        events = game.story(position, move)
        fired = [event.steps for event in events if event.kind == "fired"]
        chains += fired
        answered += bool(fired and sum(game.forecast(position, move.side)))
        passes += any(event.kind == "passed" for event in events)
        falls += [event.ojama for event in events if event.kind == "fell" and event.ojama]
        if not first_attack and any(e.kind == "credited" and e.ojama for e in events):
            first_attack = number
    return {
        "hands": len(moves),
        "passes": passes,
        "chains": len(chains),
        "longest_chain": max(chains, default=0),
        "chain_steps": sum(chains) / len(chains) if chains else 0,
        "first_attack": first_attack,
        "falls": len(falls),
        "largest_fall": max(falls, default=0),
        "fallen": sum(falls),
        "answered": answered,
    }


COUNTERS: Mapping[str, Callable[[Game, Sequence[Position], Sequence[Move]], Counts]] = {
    "control": _of_control,
    "evening": _of_evening,
    "trivia": _of_trivia,
    "doves": _of_doves,
    "rengi": _of_rengi,
}
"""What is counted in one game only, by its slug."""
