"""Small worked examples of single rules: what stood before, what was done, what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from lumiban import games
from lumiban.games import Game, Move, Position
from lumiban.games.doves import Doves
from lumiban.games.kernel import groups_of
from lumiban.games.rengi import Rengi
from lumiban.games.rengi.field import OJAMA
from lumiban.games.rengi.kernel import Event
from lumiban.i18n import text

REMOVAL, REMOVED = "e1 g1 f1 f4", "xg1"
GROUPS, GROUPED = "wc4 bd4 bb3", "wc3"
ODD = "wb1 bc1 ba1 wd1 bd2 wd3 bd4 wc5 bb4 wa3"
SHORT_TURN = "a3, a2, c3, red c2, a1, red b3, b1, b2, c1"
WALLED = "b.../BA../..T./...Y"
"""Tokyo Doves: four rows and four columns."""
ALL_SIX = "A.Y/BMT/bH."
"""Tokyo Doves: all of Red's doves round Green's boss, without walls."""
EMPTY = ""
TWO_STEPS = "/".join([*["......"] * 12, "BBBRRR"])
"""With a red block on a blue one in column 4 the reds go, then the blues."""
HIGH = "/".join(["......", "......", *["BY.BYG", "YB.GBY"] * 5, "GG.YYB"])


SIDES = {
    "en": {1: "White", -1: "Black", 0: "nobody"},
    "ja": {1: "白", -1: "黒", 0: "なし"},
}


def table(heads: Iterable[str], rows: Iterable[Iterable[object]]) -> str:
    """A table as Markdown has it."""
    lines = [list(map(str, heads)), *(list(map(str, row)) for row in rows)]
    lines.insert(1, ["---"] * len(lines[0]))
    return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def played(game: Game, moves: str) -> Position:
    """The position after these moves, written with spaces between them."""
    position = game.start()
    for written in moves.split():
        position = game.play(position, game.parse(position, written))
    return position


def picture(words: str, name: str, title: str, language: str) -> str:
    """A picture as both languages show it; the command that draws it stands in the English one."""
    image = f"![{title}](../pictures/{name}.svg)\n"
    if language == "ja":
        return image
    return f"<!-- ./run games picture {words} --out docs/pictures/{name}.svg -->\n{image}"


def neighbours(game: Game, position: Position, cell: int) -> tuple[int, int]:
    """Numbers of white and black stones beside a cell."""
    stones = game.pieces(position)
    white, black = (
        sum(stones[other] == kind for other in game.grid.neighbours[cell]) for kind in (1, 2)
    )
    return white, black


def _more(one: int, other: int) -> int:
    return (one > other) - (one < other)


def removal(language: str) -> str:
    """Control: a stone is removed, and what its cell and those beside it are then."""
    game = games.load("control", size=4)
    before = played(game, REMOVAL)
    after = game.play(before, game.parse(before, REMOVED))
    rows = []
    for cell in (game.grid.cell("g1"), *game.grid.neighbours[game.grid.cell("g1")]):
        row = [game.grid.names[cell]]
        for position in (before, after):
            white, black = neighbours(game, position, cell)
            row += [f"{white} : {black}", SIDES[language][_more(white, black)]]
        rows.append(row)
    heads = {
        "en": (
            "cell", "white : black beside it", "controls",
            f"after White's `{REMOVED}`", "controls",
        ),
        "ja": ("マス", "隣の白 : 黒", "制御", f"白の `{REMOVED}` の後", "制御"),
    }[language]  # fmt: skip
    moves = f"`{REMOVAL}`"
    sentence = {
        "en": f"On side 4, after {moves}, White controls the cell of the black stone on g1 and"
        " removes it:\n\n",
        "ja": f"一辺4マスで {moves} と打つと、白は g1 の黒の駒のあるマスを制御しているので、"
        "除去できます。\n\n",
    }[language]
    return sentence + table(heads, rows)


def sums(game: Game, position: Position, cell: int) -> tuple[int, int]:
    """The sizes of the white and of the black groups beside a cell, each group once."""
    stones = [int(kind) for kind in game.pieces(position)]
    beside = set(game.grid.neighbours[cell])
    white, black = (
        sum(
            len(group)
            for group in groups_of(
                game.grid.neighbours, [kind if kind == colour else 0 for kind in stones]
            )
            if beside & set(group)
        )
        for colour in (1, 2)
    )
    return white, black


def _may_place(game: Game, position: Position, cell: int) -> int:
    """1 where White may place, −1 where Black may, 0 where nobody may: as the rules say."""
    name = game.grid.names[cell]
    white, black = (
        any(move.text == colour + name for move in game.moves(position, side))
        for side, colour in enumerate("wb")
    )
    return int(white) - int(black)


def groups(language: str) -> str:
    """Evening: the sums of groups beside cells, before and after one more stone."""
    game = games.load("evening", size=4)
    before = played(game, GROUPS)
    after = game.play(before, game.parse(before, GROUPED))
    rows = []
    empty = [
        cell
        for cell in range(len(game.grid))
        if not game.pieces(after)[cell] and any(sums(game, after, cell))
    ]
    changed = [
        cell for cell in empty if _may_place(game, before, cell) != _may_place(game, after, cell)
    ]
    for cell in changed:
        row = [game.grid.names[cell]]
        for position in (before, after):
            white, black = sums(game, position, cell)
            row += [f"{white} : {black}", SIDES[language][_may_place(game, position, cell)]]
        rows.append(row)
    heads = {
        "en": ("cell", "white : black", "may place", f"after `{GROUPED}`", "may place"),
        "ja": ("マス", "白 : 黒", "置ける色", f"`{GROUPED}` の後", "置ける色"),
    }[language]
    sentence = {
        "en": f"On side 4, after `{GROUPS}`, White places `{GROUPED}`. These cells change:\n\n",
        "ja": f"一辺4マスで `{GROUPS}` の後、白が `{GROUPED}` と置きます。変わるマス：\n\n",
    }[language]
    return sentence + table(heads, rows)


def odd_even(language: str) -> str:
    """Evening: one tied game under both rules for a tie."""
    rows = []
    for tie in ("even", "odd-even"):
        game = games.load("evening", size=3, tie=tie)
        outcome = game.outcome(played(game, ODD))
        assert outcome is not None
        assert outcome.winner is not None
        winner = SIDES[language][1 if outcome.winner == 0 else -1]
        name = text(f"game.evening.option.tie.{tie}", language)
        rows.append((f"`{tie}`", name, f"**{winner}**"))
    count = len(ODD.split()) // 2
    heads = {
        "en": ("`tie`", "equal groups", "winner"),
        "ja": ("`tie`", "同点のとき", "勝ち"),
    }[language]
    sentence = {
        "en": f"On side 3, after `{ODD}`, nobody can place and all groups are equal, with {count}"
        " stones each:\n\n",
        "ja": f"一辺3マスで `{ODD}` と打つと、どちらも置けず、グループはすべて同じで、駒は{count}"
        "個ずつです。\n\n",
    }[language]
    return sentence + table(heads, rows)


def full_board(language: str) -> str:
    """Trivia: a finished game, whose last turn was short."""
    game = games.load("trivia", size=3)
    position = game.start()
    for written in SHORT_TURN.split(", "):
        position = game.play(position, game.parse(position, written))
    outcome = game.outcome(position)
    assert outcome is not None
    stones = [int(kind) for kind in game.pieces(position)]
    white, black = (
        sorted(
            map(
                len,
                groups_of(game.grid.neighbours, [kind if kind == colour else 0 for kind in stones]),
            ),
            reverse=True,
        )
        for colour in (1, 2)
    )
    winner = SIDES[language][1 if outcome.winner == 0 else -1]
    listed = [", ".join(map(str, sizes)) for sizes in (white, black)]
    last = SHORT_TURN.split(", ")[-2:]
    title = {
        "en": "The full board of side 3",
        "ja": "埋まった一辺3マスの盤",
    }[language]
    shown = picture(
        f'trivia -o size=3 --moves "{SHORT_TURN}" --hint control', "trivia-full", title, language
    )
    if language == "ja":
        return (
            f"{shown}\n*最後の手番は空きが {last[0]} と {last[1]} だけなので、両方に黒を置きます。"
            f"グループは白が {listed[0]}、黒が {listed[1]}：{winner}の勝ち。*\n"
        )
    return (
        f"{shown}\n*Only {last[0]} and {last[1]} were left for the last turn: both became black."
        f" White's groups: {listed[0]}. Black's: {listed[1]}. {winner} wins.*\n"
    )


def _told(game: Doves, position: Position, move: Move, language: str) -> str:
    refusal = game.why_not(position, move.side, move)
    if refusal is not None:
        return text(refusal.text_id, language, **dict(refusal.params))
    before, after = (len(game.walls(one)) > 0 for one in (position, game.play(position, move)))
    sentences = {
        (True, True): {"en": "Played.", "ja": "打てます。"},
        (True, False): {
            "en": "Played; the walls are gone.",
            "ja": "打てます。壁がなくなります。",
        },
    }[before, after]
    return sentences[language]


def doves_moves(language: str) -> str:
    """Tokyo Doves: how each of six doves may move in one position."""
    game = Doves()
    position = game.setup(board=ALL_SIX, to_move="red")
    stands = {letter: cell for cell, letter in game.doves(position).items()}
    rows = []
    for letter in "BAYMTH":
        to = sorted(game.grid.names[mark.cell] for mark in game.targets(position, stands[letter]))
        rows.append((letter, game.grid.names[stands[letter]], ", ".join(to)))
    heads = {"en": ("dove", "from", "may move to"), "ja": ("ハト", "今のマス", "動ける先")}[
        language
    ]
    title = {
        "en": "Red's six doves in three rows, Green's boss below them",
        "ja": "赤のハト六羽が三行に並び、その下に緑のボスハト",
    }[language]
    shown = picture(f'doves --position "{ALL_SIX}"', "doves-moves", title, language)
    return f"{shown}\n{table(heads, rows)}"


def doves_actions(language: str) -> str:
    """Tokyo Doves: actions in one position, and what comes of each."""
    game = Doves()
    position = game.setup(board=WALLED, to_move="red")
    rows = [
        (f"`{written}`", _told(game, position, game.parse(position, written), language))
        for written in ("+Mc5", "+Me1", "-T", "-Y")
    ]
    heads = {"en": ("action", "what comes of it"), "ja": ("手", "どうなるか")}[language]
    title = {
        "en": "The doves span four rows and four columns: walls on all sides",
        "ja": "ハトが四行四列にわたり、四方が壁",
    }[language]
    shown = picture(f'doves --position "{WALLED}" --hint coach', "doves-actions", title, language)
    return f"{shown}\n{table(heads, rows)}"


def ban(language: str) -> str:
    """Tokyo Doves: the same action under each form of ban."""
    rows = []
    for value in ("strong", "normal", "weak", "off"):
        game = Doves(repetition=value, initial="allowed")
        position = game.start()
        row = [f"`{value}`"]
        position = game.play(position, game.parse(position, "BE1"))
        for written in ("bN1", "bW1"):
            move = game.parse(position, written)
            refusal = game.why_not(position, move.side, move)
            if refusal is not None:
                row.append({"en": "barred", "ja": "禁止"}[language])
                continue
            after = game.play(position, move)
            can_claim = "claim" in game.words(after, 1 - move.side)
            row.append(
                {
                    (True, "en"): "Red may claim it", (True, "ja"): "赤が指摘できる",
                    (False, "en"): "allowed", (False, "ja"): "できる",
                }[can_claim, language]
            )  # fmt: skip
        rows.append(row)
    heads = {
        "en": ("`repetition`", "`bN1`: the start again", "`bW1`: the start, turned"),
        "ja": ("`repetition`", "`bN1`：始めの局面", "`bW1`：始めの局面を回転したもの"),
    }[language]
    sentence = {
        "en": "Red's boss has stepped away, `BE1`, and Green's boss could bring back what Red faced"
        " at the start (with `initial=allowed`):\n\n",
        "ja": "赤のボスハトが `BE1` と離れ、緑のボスハトが、赤の番の最初の局面に戻そうとします"
        "（`initial=allowed`）。\n\n",
    }[language]
    return sentence + table(heads, rows)


def chain(language: str) -> str:
    """Rengi: a chain of two, step by step, with the field before each."""
    game = Rengi(mode="free")
    position = game.setup(fields=(TWO_STEPS, EMPTY))
    fired = game.chain(position, game.parse(position, "RB4.0"))
    rows: list[tuple[object, ...]] = [
        (step.number, _lowest(step.before), step.blocks, step.points, step.ojama)
        for step in fired.steps
    ]
    rows.append(("", _lowest(fired.field), "", fired.points, fired.ojama))
    heads = {
        "en": (
            "chain step",
            "lowest rows before it, top first",
            "blocks erased",
            "points",
            "ojama",
        ),
        "ja": ("連鎖", "その前の下の段（上から）", "消えるブロック", "得点", "お邪魔"),
    }[language]
    return table(heads, rows)


def _lowest(field: str) -> str:
    rows = [row for row in field.split("/") if set(row) != {"."}]
    return f"`{'/'.join(rows)}`" if rows else "–"


def _until(game: Rengi, position: Position, kind: str, side: int) -> tuple[Position, list[Event]]:
    """Passes of the other player until this happens to a side; all that happened."""
    happened: list[Event] = []
    while not any((event.kind, event.side) == (kind, side) for event in happened):
        move = game.parse(position, "pass")
        happened += game.story(position, move)
        position = game.play(position, move)
    return position, happened


def offset(language: str) -> str:
    """Rengi: an answer of five ojama against a small forecast and against a large one."""
    game = Rengi(mode="free")
    rows = []
    for waiting in (3, 20):
        position = game.setup(fields=(TWO_STEPS, EMPTY), waiting=(waiting, 0))
        position = game.play(position, game.parse(position, "RB4.0"))
        _, happened = _until(game, position, "credited", 0)
        step = next(event for event in happened if (event.kind, event.side) == ("credited", 0))
        left, across = (sum(bins) for bins in step.forecast)
        fell = [event.ojama for event in happened if (event.kind, event.side) == ("fell", 0)]
        rows.append((waiting, step.ojama, left, across, sum(fell)))
    heads = {
        "en": ("waiting", "made by the chain of 2", "left", "go across", "fall right after it"),
        "ja": ("予告", "2連鎖のお邪魔", "相殺の残り", "相手へ", "直後に落ちる"),
    }[language]
    return table(heads, rows)


def all_clear(language: str) -> str:
    """Rengi: a field is emptied, and the next erasure brings the points for it."""
    game = Rengi(mode="free", all_clear="on")
    position = game.setup(fields=("/".join([*["......"] * 12, "RRR..."]), EMPTY))
    own, others = iter(("RR4.0", "RR1.1", "RR3.1")), iter(("YG1.1", "YB3.1", "GB5.1"))
    rows = []
    for written in own:
        while game.movers(position) == (1,):
            position = game.play(position, game.parse(position, next(others)))
        was = game.points(position, 0)
        move = game.parse(position, written)
        position = game.play(position, move)
        is_empty = not any(map(any, game.field(position, 0)))
        cleared = {"en": "yes", "ja": "はい"}[language] if is_empty else "–"
        rows.append((f"`{written}`", game.points(position, 0) - was, cleared))
    heads = {
        "en": ("1P's hand", "points of its chain", "field empty"),
        "ja": ("1Pの手", "連鎖の得点", "フィールドが空"),
    }[language]
    return table(heads, rows)


def ojama_units(language: str) -> str:
    """Rengi: few and many ojama, falling in each unit on an empty field."""
    rows = []
    for unit in (1, 3, 6, "mixed"):
        game = Rengi(mode="free", ojama_unit=unit)
        for waiting in (4, 8, 21):
            position = game.setup(fields=(EMPTY, EMPTY), waiting=(waiting, 0))
            after = game.play(position, game.parse(position, "RY3.0"))
            columns = zip(*game.field(after, 0), strict=True)
            fallen = [sum(block == OJAMA for block in column) for column in columns]
            left = sum(game.forecast(after, 0))
            assert sum(fallen) + left == waiting
            rows.append((f"`{unit}`", waiting, " ".join(map(str, fallen)), left))
    heads = {
        "en": ("`ojama_unit`", "forecast", "fall, column 1 to 6", "wait"),
        "ja": ("`ojama_unit`", "予告", "落ちる個数（1列から6列）", "残る"),
    }[language]
    return table(heads, rows)


def otsuri(language: str) -> str:
    """Rengi: thirty ojama fall on a field without room for all of them."""
    rows = []
    for value in ("off", "on"):
        game = Rengi(mode="free", offset="off", otsuri=value)
        position = game.setup(fields=(HIGH, EMPTY), waiting=(30, 0))
        move = game.parse(position, "RR3.0")
        fell = next(event for event in game.story(position, move) if event.kind == "fell")
        again = sum(game.forecast(game.play(position, move), 0))
        rows.append((f"`{value}`", fell.ojama, fell.vanished, again))
    heads = {
        "en": ("`otsuri`", "ojama fall", "find no room", "fall again later"),
        "ja": ("おつり `otsuri`", "落ちるお邪魔", "入りきらない", "後でまた落ちる"),
    }[language]
    return table(heads, rows)


MADE: dict[str, Callable[[str], str]] = {
    "removal": removal,
    "groups": groups,
    "odd-even": odd_even,
    "full-board": full_board,
    "doves-moves": doves_moves,
    "doves-actions": doves_actions,
    "ban": ban,
    "chain": chain,
    "offset": offset,
    "all-clear": all_clear,
    "ojama-units": ojama_units,
    "otsuri": otsuri,
}
