"""Writes the guide's worked examples, played by the program, into both languages' chapters.

An example stands between `<!-- example NAME, by ./run docs -->` and `<!-- end -->`. `./run docs`
writes them; a test makes them anew and compares.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

from lumiban import games
from lumiban.games import Position
from lumiban.games.kernel import groups_of
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.kernel import Event

from lumiban_lab.documents import DOCS, rule_examples
from lumiban_lab.documents.rule_examples import SIDES, neighbours, picture, played, table

EXAMPLE = re.compile(r"(<!-- example (\S+), by \./run docs -->\n).*?(<!-- end -->)", re.DOTALL)
CHAPTERS = {"en": DOCS / "guide", "ja": DOCS / "ja"}

ATTACKER = (
    "....../...G../...R.Y/..GR.Y/..GR.Y/..GB.G/..YB.G/..RYYY/..RRGG/..GYBB/.YRYRY/YGGBYG/YGBBGG"
)
"""YG1.1 fires four steps, BY2.1 then six, of which the second and third erase two groups."""
DEFENDER = (
    "....../.R.R../.R.GB./.R.GB./.Y.GR./.B.RB./.R.YG./.Y.RG./.B.YG./.G.RY./.B.RY./.BYRY./.BYYG."
)
"""BY6.0 fires four steps, the last of two groups."""
CASCADE = "wa3 bb3 wb2 bc2 ba2 wa1 wc1 wb4 wc3 bb1 bc5 bd2 bc4 wd3 be3 wd1 we1 be2 wd4"
TIED_COUNT = "b1 c5 d3 b3 e3 c3 e1 b2 c1"


def interrupt_rules() -> Rengi:
    """Rengi as the author plays his example: single ojama fall, remainders are dropped."""
    return Rengi(mode="free", ojama_unit=1, pass_plan=1, wall_cross=3)


def interrupt_hands() -> Iterator[tuple[Position, str]]:
    """Each position of the author's example of an interrupt, with the hand made in it."""
    game = interrupt_rules()
    position = game.setup(fields=(ATTACKER, DEFENDER))
    attacks, answers, has_fallen = iter(("YG1.1", "BY2.1")), iter(("BY6.0",)), False
    while True:
        [side] = game.movers(position)
        if side == 0:
            text = next(attacks, None)
        elif has_fallen and game.hands_left(position, 1) is None:
            text = None
        else:
            is_time = not has_fallen and game.hands_left(position, 1) == 1
            text = next(answers) if is_time else "pass"
        if text is None:
            return
        yield position, text
        move = game.parse(position, text)
        has_fallen |= any(event.kind == "fell" for event in game.story(position, move))
        position = game.play(position, move)


def interrupt_events() -> list[Event]:
    """Events of the author's example: firings, steps and falls, 19 of them."""
    game = interrupt_rules()
    kinds = ("fired", "credited", "fell")
    return [
        event
        for position, text in interrupt_hands()
        for event in game.story(position, game.parse(position, text))
        if event.kind in kinds
    ]


INTERRUPT = {
    "en": {
        "heads": ("", "what happens", "1P: points", "ojama", "2P: points", "ojama", "A", "B"),
        "fired": "**{player} fires a chain of {steps}**",
        "credited": "{player}, chain step {steps}",
        "fell": "**{ojama} ojama fall on {player}**",
    },
    "ja": {
        "heads": ("", "出来事", "1Pの得点", "お邪魔", "2Pの得点", "お邪魔", "A", "B"),
        "fired": "**{player}が{steps}連鎖を発火する**",
        "credited": "{player}の{steps}連鎖目",
        "fell": "**{player}にお邪魔が{ojama}個落ちる**",
    },
}


def interrupt(language: str) -> str:
    """The author's example of an interrupt, event by event: each chain's points and the ojama made
    of them, and the forecast against 2P."""
    words = INTERRUPT[language]
    points, ojama, steps, ended = [0, 0], [0, 0], [0, 0], -1
    rows = []
    for number, event in enumerate(interrupt_events(), 1):
        side = event.side
        if ended >= 0:  # the author's figures end with their chain
            points[ended] = ojama[ended] = 0
        ended = -1
        if event.kind == "fired":
            steps[side] = event.steps
        elif event.kind == "credited":
            points[side] += event.points
            ojama[side] += event.ojama
            ended = side if event.steps == steps[side] else -1
        sentence = str(words[event.kind]).format(
            player=f"{side + 1}P", steps=event.steps, ojama=event.ojama
        )
        a, b = event.forecast[1]
        rows.append((number, sentence, points[0], ojama[0], points[1], ojama[1], a, b))
    return table(words["heads"], rows)


def tie(language: str) -> str:
    """Control: a cell with one neighbour of each colour, before and after one more stone."""
    game = games.load("control", size=4)
    before = played(game, "d1 c3 d2")
    after = game.play(before, game.parse(before, "d4"))
    rows = []
    for name in ("d3", "c2", "e3"):
        cell, row = game.grid.cell(name), [name]
        for position in (before, after):
            white, black = neighbours(game, position, cell)
            row.append(f"{white} : {black}")
            row.append(SIDES[language][(white > black) - (white < black)])
        rows.append(row)
    heads = {
        "en": ("cell", "white : black beside it", "controls", "after Black's `d4`", "controls"),
        "ja": ("マス", "隣の白 : 黒", "制御", "黒の `d4` の後", "制御"),
    }[language]
    return table(heads, rows)


def tied_count(language: str) -> str:
    """Control: an agreed end with equal territories."""
    game = games.load("control", size=3)
    position = played(game, TIED_COUNT)
    (_, white), (_, black) = game.scores(position)
    [side] = game.movers(position)
    for who in (side, 1 - side):
        position = game.play(position, game.parse(position, "stop", who))
    outcome = game.outcome(position)
    assert outcome is not None
    assert (outcome.reason, outcome.winner) == ("agreed-tie", 1 - side)
    mover, winner = (SIDES[language][1 if one == 0 else -1] for one in (side, 1 - side))
    if language == "ja":
        return (
            f"一辺3マスで {_listed(TIED_COUNT)} と打ち、二人とも終局に同意すると、"
            f"テリトリーは {white} 対 {black}。手番は{mover}なので、{winner}の勝ちです。\n"
        )
    return (
        f"On side 3, after {_listed(TIED_COUNT)}, both agree to stop: the territories are {white}"
        f" and {black}. {mover} is to move, so {winner} wins.\n"
    )


def _listed(moves: str) -> str:
    return "`" + " ".join(moves.split()) + "`"


def cascade(language: str) -> str:
    """Evening: a finished game whose largest groups are equal."""
    game = games.load("evening", size=3)
    position = played(game, CASCADE)
    outcome = game.outcome(position)
    assert outcome is not None
    stones = [int(kind) for kind in game.pieces(position)]
    sizes = [
        sorted(
            (
                len(group)
                for group in groups_of(
                    game.grid.neighbours, [kind if kind == colour else 0 for kind in stones]
                )
            ),
            reverse=True,
        )
        for colour in (1, 2)
    ]
    rows, is_decided = [], False
    names = SIDES[language]
    for place in range(max(map(len, sizes))):
        white, black = (side[place] if place < len(side) else 0 for side in sizes)
        verdict = {"en": "equal", "ja": "同じ"}[language]
        if white != black and not is_decided:
            winner = names[1 if white > black else -1]
            assert winner == names[1 if outcome.winner == 0 else -1]
            verdict = {"en": f"**{winner} wins**", "ja": f"**{winner}の勝ち**"}[language]
            is_decided = True
        elif is_decided:
            verdict = {"en": "no longer compared", "ja": "もう比べない"}[language]
        rows.append((place + 1, white or "–", black or "–", verdict))
    heads = {
        "en": ("group", "White", "Black", ""),
        "ja": ("グループ", "白", "黒", ""),
    }[language]
    moves = ", ".join(CASCADE.split())
    title = {
        "en": "The full board: White's groups have 5, 3 and 2 stones, Black's 5 and 4",
        "ja": "埋まった盤：白のグループは5、3、2個、黒は5、4個",
    }[language]
    shown = picture(f'evening -o size=3 --moves "{moves}"', "evening-cascade", title, language)
    return shown + "\n" + table(heads, rows)


MADE: dict[str, Callable[[str], str]] = {
    "interrupt": interrupt,
    "tie": tie,
    "tied-count": tied_count,
    "cascade": cascade,
    **rule_examples.MADE,
}


def written(text: str, language: str) -> str:
    """A chapter with its examples made anew."""
    return EXAMPLE.sub(lambda match: f"{match[1]}\n{MADE[match[2]](language)}\n{match[3]}", text)


def chapters() -> Iterator[tuple[str, Path]]:
    """(language, chapter) of all that may hold examples."""
    for language, folder in CHAPTERS.items():
        for chapter in sorted(folder.glob("*.md")):
            yield language, chapter


if __name__ == "__main__":
    for language, chapter in chapters():
        chapter.write_text(written(chapter.read_text("utf-8"), language), "utf-8")
