"""`lumiban study`: many games and many positions: perft, solve, match, balance, puzzles.

`chain` and `ojama`, which belong to it too, are in rengi.py.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from lumiban import games as all_games
from lumiban.arguments import (
    NAMES_GAME,
    Cluster,
    GameName,
    Jobs,
    Json,
    Keep,
    Options,
    PerMove,
    Playouts,
    Seed,
    microseconds,
    options,
    to_write,
)
from lumiban.errors import UsageError
from lumiban.games.registry import telling
from lumiban.i18n import terminal_language, text, texts
from lumiban.search.kernel_notes import say_if_plain
from lumiban.system.terminal import Progress, print_json, say
from lumiban.system.worker_pool import cores

if TYPE_CHECKING:
    from lumiban.games.base import Game, Move, Position
    from lumiban.search.doves.mate import Puzzle


A_PLAYER = (
    "A: a level by name or number, gentle (1) to strong (5), random, or mirror, who copies;"
    " strong:uct and strong:grave name the search."
)


def match_command(
    game: Annotated[str, NAMES_GAME, Parameter(help="The game, or a game file.")],
    /,
    *,
    a: Annotated[str, Parameter(help=A_PLAYER)],
    b: Annotated[str, Parameter(help="B, likewise.")],
    games: Annotated[int, Parameter(validator=Number(gte=1), help="Number of games.")] = 100,
    per_move: PerMove = None,
    playouts: Playouts = None,
    seed: Seed = 0,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    keep: Keep = None,
    option: Options = None,
    json: Json = False,
) -> None:
    """Play a match between two players: colours alternate, a draw is half a point.

    For example: {lumiban} study match control --a bot:strong --b bot:easy --per-move 100ms

    A level keeps its number of random games. With --per-move, full strength is limited only by
    that time, and the other levels stop then if they have not finished.
    """
    from lumiban.study.match import Score, play_match
    from lumiban.study.match import player as player_called

    played = all_games.load(game, **options(option))
    longest_us = microseconds(per_move, "--per-move")
    one = player_called(a, playouts=playouts, per_move_us=longest_us)
    other = player_called(b, playouts=playouts, per_move_us=longest_us)
    progress = Progress()
    language = terminal_language()

    def show(score: Score) -> None:
        low, high = score.as_json()["interval"]
        done = text("study.progress", language, done=score.games, games=games)
        share = text(
            "match.progress",
            language,
            share=f"{score.share:.1%}",
            low=f"{low:.0%}",
            high=f"{high:.0%}",
        )
        progress.show(f"{done}: {share}")

    try:
        progress.wait(text("study.begins", terminal_language()))
        score = play_match(
            played,
            game,
            one,
            other,
            games,
            seed=seed,
            jobs=jobs or cores(),
            cluster=cluster,
            keep=keep,
            progress=show,
        )
    finally:
        progress.clear()
    result = score.as_json()
    if json:
        setup = {"game": game, "options": dict(played.options), "seed": seed}
        sides = {"a": one.as_json(played), "b": other.as_json(played)}
        bounds = {"per_move_us": longest_us, "playouts": playouts}
        print_json({**setup, **sides, **bounds, **result})
        return
    low, high = result["interval"]
    say(
        "match.score",
        # Two of a level differ in how they search.
        a=_player_called(one.name) if one.name != other.name else one.called(played),
        b=_player_called(other.name) if one.name != other.name else other.called(played),
        game=_game_called(played),
        points=f"{score.points:g}",
        games=score.games,
    )
    say("match.share", share=f"{score.share:.1%}", low=f"{low:.1%}", high=f"{high:.1%}", indent=2)
    say(
        "match.rest",
        wins=result["wins"],
        draws=result["draws"],
        losses=result["losses"],
        plies=result["plies"],
        indent=2,
    )


def balance_command(
    game: Annotated[str, NAMES_GAME, Parameter(help="The game, or a game file.")],
    /,
    *,
    games: Annotated[int, Parameter(validator=Number(gte=1), help="Number of games.")] = 200,
    player: Annotated[
        str, Parameter(help="Who plays both sides: a level by name or number, or random.")
    ] = "random",
    per_move: PerMove = None,
    playouts: Playouts = None,
    seed: Seed = 0,
    jobs: Jobs = 0,
    cluster: Cluster = None,
    keep: Keep = None,
    option: Options = None,
    json: Json = False,
) -> None:
    """Play a game against itself many times: win rates, lengths and choices.

    For example: {lumiban} study balance control -o size=3 --games 500 --player easy
    """
    from lumiban.search.simple_engine import compiled_playouts_a_second
    from lumiban.study.balance import figures, study
    from lumiban.study.match import player as player_called

    played = all_games.load(game, **options(option))
    longest_us = microseconds(per_move, "--per-move")
    who = player_called(player, playouts=playouts, per_move_us=longest_us)
    progress = Progress()
    try:
        progress.wait(text("study.begins", terminal_language()))
        rate = compiled_playouts_a_second(played, measure=True)
        results = study(
            played,
            game,
            who,
            games,
            seed=seed,
            jobs=jobs or cores(),
            cluster=cluster,
            keep=keep,
            progress=lambda done: progress.show(
                text("study.progress", terminal_language(), done=done, games=games)
            ),
        )
    finally:
        progress.clear()
    balance = figures(played, results)
    if json:
        setup = {"game": game, "options": dict(played.options), "player": who.name, "seed": seed}
        print_json({**setup, "compiled_playouts_a_second": round(rate) or None, **balance})
        return
    _print_balance(balance, played, who.name)
    if rate:
        say("balance.compiled", rate=f"{rate:,.0f}", indent=2)


def _print_balance(balance: dict[str, Any], game: Game, player: str) -> None:
    language = terminal_language()
    name = _game_called(game)
    say("balance.head", games=balance["games"], game=name, player=_player_called(player))
    for slug, side in balance["sides"].items():
        low, high = side["interval"]
        if side["share"] is None:
            continue
        say(
            "balance.side",
            side=_told_or(f"side.{slug}", slug),
            share=f"{side['share']:.1%}",
            low=f"{low:.1%}",
            high=f"{high:.1%}",
            indent=2,
        )
    if balance["draws"]:
        say("balance.draws", draws=balance["draws"], indent=2)
    if balance["unfinished"]:
        say("balance.unfinished", unfinished=balance["unfinished"], indent=2)
    plies, choices = balance["plies"], balance["choices"]
    say(
        "balance.plies",
        mean=plies["mean"],
        median=plies["median"],
        least=plies["least"],
        most=plies["most"],
        indent=2,
    )
    say("balance.choices", mean=choices["mean"], most=choices["most"], indent=2)
    say("balance.reasons", indent=2)
    for reason, count in balance["reasons"].items():
        print(f"    {count:>6}  {_told_or(f'outcome.{reason}', reason)}")
    cells = balance["never_played"]
    if cells:
        say("balance.never", cells=" ".join(cells), indent=2)
    elif cells is not None:
        print("  " + text("balance.all-played", language))


def _told_or(id: str, plain: str) -> str:
    """The sentence of this id; its own word where a player's own game has none."""
    sentence = texts(terminal_language()).get(id)
    return plain if sentence is None else sentence


def _game_called(game: Game) -> str:
    """A game's name for people; of a file its name without the path."""
    return _told_or(f"game.{game.slug}.name", Path(game.slug).stem)


def _player_called(name: str) -> str:
    other = "study.mirror" if name == "mirror" else "study.random"
    return _told_or(f"level.{name}", text(other, terminal_language()))


def puzzles_command(
    game: Annotated[str, Parameter(help="The game: doves.")] = "doves",
    /,
    *,
    mate: Annotated[
        int, Parameter(help="The mover wins within this many plies: 1, 3, 5, 7 or 9.")
    ] = 3,
    count: Annotated[int, Parameter(validator=Number(gte=1), help="Number of puzzles.")] = 10,
    seed: Annotated[int, Parameter(help="The same seed finds the same puzzles.")] = 0,
    file: Annotated[
        Path | None,
        Parameter(help="File that keeps the puzzles found; the next search continues from it."),
    ] = None,
    answers: Annotated[
        bool, Parameter(negative="", show_default=False, help="Print the winning lines too.")
    ] = False,
    option: Options = None,
    json: Json = False,
) -> None:
    """Find positions in which exactly one action wins fastest.

    They come from random games and have no history. A ply is one action of one side. Ctrl-C stops
    the search; with --file the next run continues it. With --json each puzzle is one line.

    For example: {lumiban} study puzzles doves --mate 3 --count 10 --answers
    """
    from lumiban.games.doves import Doves
    from lumiban.search.doves.mate import Puzzles

    if game != "doves":
        raise UsageError(f"there are no puzzles for {game!r}, only for doves")
    played = all_games.load(game, **options(option))
    if not isinstance(played, Doves):
        raise UsageError("there are puzzles only for doves")
    if mate not in (1, 3, 5, 7, 9):
        raise UsageError(f"--mate {mate} must be 1, 3, 5, 7 or 9: the last action is the mover's")
    if file is not None:
        to_write(file, "--file")
    progress = Progress()
    search = Puzzles(played, mate, seed, file)
    number = 0
    try:
        progress.wait(text("analyse.begins", terminal_language()))
        for puzzle in search.search(
            count, lambda so_far, tried: progress.show(f"{so_far} of {count}: {tried:,} tried")
        ):
            progress.clear()
            number += 1
            if json:
                print_json(_as_json(puzzle, played.options))
            else:
                _print_puzzle(number, puzzle, answers)
    finally:
        progress.clear()
    say_if_plain()


def _as_json(puzzle: Puzzle, rules: Any) -> dict[str, Any]:
    return {
        "game": "doves",
        "options": dict(rules),
        "board": puzzle.board,
        "to_move": puzzle.to_move,
        "plies": puzzle.plies,
        "first": puzzle.first,
        "line": list(puzzle.line),
        "candidate": puzzle.candidate,
    }


def _print_puzzle(number: int, puzzle: Puzzle, answers: bool) -> None:
    own = (puzzle.plies + 1) // 2
    goal = f"puzzles.goal.{puzzle.to_move}" + ("" if own > 1 else ".at-once")
    say(goal, number=number, own=own)
    for row in puzzle.board.split("/"):
        print("  " + " ".join(row))
    print(f"  {puzzle.board}")
    if answers:
        say("puzzles.answer", line=" ".join(puzzle.line), indent=2)
    print()


DEEPEST = 64
"""Nobody lives to see a deeper count."""


def perft_command(
    game: GameName,
    /,
    *,
    depth: Annotated[
        int,
        Parameter(
            name=("--depth", "-d"),
            validator=Number(gte=1, lte=DEEPEST),
            help="Depth in moves.",
        ),
    ],
    turns: Annotated[
        bool,
        Parameter(
            name="--turns",
            negative="",
            show_default=False,
            help="Count distinct turns: all that a side does before the other, in any order.",
        ),
    ] = False,
    option: Options = None,
    json: Json = False,
) -> None:
    """Count the ways to play 1, 2, … moves from the start of a game.

    For example: {lumiban} study perft control -d 4 -o size=3
    """
    from lumiban.search.perft import perft, perft_turns

    played = all_games.load(game, **options(option))
    progress = Progress()
    began = time.monotonic()
    what = "turns" if turns else "moves"
    try:
        progress.wait(text("analyse.begins", terminal_language()))
        with telling(played, played.start()):
            nodes = (perft_turns if turns else perft)(
                played,
                depth,
                lambda done, of: progress.show(f"depth {depth}: {done} of {of} first {what}"),
            )
    finally:
        progress.clear()
    say_if_plain()
    if json:
        print_json({"game": game, "options": dict(played.options), "nodes": nodes})
        return
    for number, count in enumerate(nodes, 1):
        print(f"{number:>3}  {count:>16,}")
    print(f"{time.monotonic() - began:.2f} s")


MAX_CELLS = 19
"""Number of cells beyond which no search of ours ends in anybody's lifetime."""


def solve_command(
    game: GameName,
    /,
    *,
    within: Annotated[
        int | None,
        Parameter(
            validator=Number(gte=1),
            help="Ask on a board of any size, by proof-number search, whether who begins can force"
            " a win, looking at this number of positions at most.",
        ),
    ] = None,
    opening: Annotated[
        str | None,
        Parameter(help="With --within: these moves are made first, joined by commas, as in i1."),
    ] = None,
    option: Options = None,
    json: Json = False,
) -> None:
    """Find the winner of a small board under best play, for each opening.

    For example: {lumiban} study solve control -o size=3
    """
    from lumiban.search.solve import solve
    from lumiban.study.plan import symmetry_class

    played = all_games.load(game, **options(option))
    if within is not None:
        _by_proof_numbers(played, within, opening or "", json)
        return
    if opening is not None:
        raise UsageError("--opening needs --within: without it every opening is solved")
    cells = len(played.grid)
    if cells > MAX_CELLS:
        smaller = (
            "; choose a smaller one, for example: -o size=3" if "size" in played.options else ""
        )
        raise UsageError(
            f"a board of {cells} cells is too large to be solved: above {MAX_CELLS} cells there "
            f"are more positions than can be searched{smaller}"
        )
    start = played.start()
    mover = played.movers(start)[0]
    openings = {}
    nodes = 0
    progress = Progress()
    try:
        progress.wait(text("analyse.begins", terminal_language()))
        moves = played.moves(start, mover)
        solved: dict[object, int | None] = {}
        for number, move in enumerate(moves):
            # In a player's own game a position may hold more than its pieces.
            own = bool(played.digest)
            same = move.text if own else symmetry_class(played, played.play(start, move))
            if same in solved:
                openings[move.text] = solved[same]
                continue
            label = f"opening {number + 1} of {len(moves)} ({move})"

            def show(positions: int, done: int, of: int, label: str = label) -> None:
                progress.show(f"{label}: {positions:,} positions, {done} of {of} replies")

            with telling(played, start):
                solution = solve(played, played.play(start, move), show)
            openings[move.text] = solved[same] = solution.winner
            nodes += solution.nodes
    finally:
        progress.clear()
    say_if_plain()
    winner = _best(mover, list(openings.values()))
    names: list[str | None] = [*played.sides, None]
    if json:
        print_json(
            {
                "game": game,
                "options": dict(played.options),
                "winner": _name(winner, names),
                "openings": {text: _name(won, names) for text, won in openings.items()},
                "positions": nodes,
            }
        )
        return
    print(f"{_called(winner, names)} ({nodes:,} positions)")
    for first, won in openings.items():
        print(f"  {first:<4} {_called(won, names)}")


def _by_proof_numbers(game: Game, positions: int, opening: str, json: bool) -> None:
    from lumiban.search.proof_number import ENDLESS, Numbers, prove

    start = game.start()
    asker = game.to_act(start)
    for written in filter(None, opening.replace(",", " ").split()):
        start = game.play(start, _named(game, start, written))
    progress = Progress()

    def show(so_far: Numbers) -> None:
        numbers = f"{so_far.nodes:,} positions, {so_far.proof:,} to prove"
        progress.show(f"{numbers}, {so_far.disproof:,} to disprove")

    try:
        progress.wait(text("analyse.begins", terminal_language()))
        with telling(game, start):
            result = prove(game, start, asker, positions, show)
    finally:
        progress.clear()
    say_if_plain()
    if json:
        numbers = {
            name: None if number >= ENDLESS else number
            for name, number in (("proof", result.proof), ("disproof", result.disproof))
        }
        document = {
            "game": game.slug,
            "options": dict(game.options),
            "beginner_wins": result.answer,
        }
        if opening:
            document["opening"] = opening
        print_json({**document, **numbers, "positions": result.nodes, "is_exact": result.is_exact})
        return
    verdict = {True: "proved", False: "disproved", None: "open"}[result.answer]
    say(
        f"solve.{verdict}",
        positions=f"{result.nodes:,}",
        proof=f"{result.proof:,}",
        disproof=f"{result.disproof:,}",
    )


def _named(game: Game, position: Position, written: str) -> Move:
    """The move of a notation; a cell alone will do where one move is made on it."""
    side = game.to_act(position)
    on_cell = [move for move in game.moves(position, side) if move.text[1:] == written]
    return on_cell[0] if len(on_cell) == 1 else game.parse(position, written, side)


def _best(mover: int, results: list[int | None]) -> int | None:
    """Best result that the mover can hold: a win if some opening wins, else a draw, else a loss."""
    if mover in results:
        return mover
    return None if None in results else 1 - mover


def _name(winner: int | None, names: list[str | None]) -> str | None:
    return None if winner is None else names[winner]


def _called(winner: int | None, names: list[str | None]) -> str:
    name = _name(winner, names)
    return "a draw" if name is None else f"{name.capitalize()} wins"
