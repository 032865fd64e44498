"""The pages of the maker's guide: numbers by facts, tables, what each board takes to buy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from math import ceil
from pathlib import Path

from lumiban.boards.profile import MAX_STRIPS, load

from lumiban_hw import electronics, plans, prices
from lumiban_hw.guide import happens as happenings
from lumiban_hw.guide.facts import BUILT, facts
from lumiban_hw.guide.pictures import (
    BASE_MARKS,
    STRIP_MARKS,
    base_picture,
    bench_picture,
    cell_picture,
    layout_picture,
    magnet_picture,
    strip_picture,
    table_picture,
)
from lumiban_hw.mechanics import flat
from lumiban_hw.mechanics.build import shopping
from lumiban_hw.mechanics.design import PARTS, Design, design
from lumiban_hw.parts import PICO
from lumiban_hw.pcb import make
from lumiban_hw.pcb.drawing import Board
from lumiban_hw.pcb.strip import PLUG_NETS
from lumiban_hw.plans import strips
from lumiban_hw.wiring import bench

NUMBER = re.compile(r"\*\*([^*\n]*)\*\*<!-- ([\w.]+) -->")
TABLE = re.compile(r"<!-- made: ([\w -]+) -->\n.*?<!-- end -->", re.DOTALL)


def filled(text: str, japanese: bool) -> str:
    """A page with its numbers and tables filled in; KeyError for a name that nothing makes."""

    def number(match: re.Match[str]) -> str:
        words = facts()[match[2]].words
        return f"**{spoken(words) if japanese else words}**<!-- {match[2]} -->"

    def table(match: re.Match[str]) -> str:
        name, *about = match[1].split()
        made = TABLES[name](*about, japanese=japanese)
        return f"<!-- made: {match[1]} -->\n\n{made}\n<!-- end -->"

    return NUMBER.sub(number, TABLE.sub(table, text))


def spoken(words: str) -> str:
    """A fact's words in Japanese.

    >>> spoken("3.25 to 3.35 V"), spoken("1000 times a second")
    ('3.25〜3.35 V', '毎秒 1000 回')
    """
    words = re.sub(r"(\d+) times a second", r"毎秒 \1 回", words)
    return words.replace(" to ", "〜")


def pictures() -> dict[str, Callable[[], str]]:
    """Maker of each picture, by the name of its file."""
    strips, _ = boards("strip5")
    _, bases = boards("hex3")
    return {
        "maker-bench.svg": lambda: bench_picture(load("strip5")),
        "maker-strip.svg": lambda: strip_picture(strips[0]),
        "maker-cell.svg": lambda: cell_picture(strips[0]),
        "maker-base.svg": lambda: base_picture(bases[0]),
        "maker-hex3.svg": lambda: layout_picture(load("hex3")),
        "maker-hex5.svg": lambda: layout_picture(load("hex5")),
        "maker-table.svg": lambda: table_picture(load("hex3"), bases[0]),
        "maker-magnets.svg": lambda: magnet_picture(load("hex5")),
    }


def sketches() -> dict[str, Callable[[], str]]:
    """Maker of each circuit board's drawing with its copper, by the name of its file."""
    return {
        "hardware-strip5.svg": lambda: make.sketch_svg(
            electronics.strip_board(plans.strips(load("strip5"))[0])
        ),
        "hardware-base.svg": lambda: make.sketch_svg(electronics.base_board(load("hex5").pins)),
    }


def pages(docs: Path) -> list[Path]:
    """The guide's pages in the folder of all documents."""
    return [docs / "maker.md", *sorted((docs / "maker").glob("*.md"))]


def write(docs: Path) -> None:
    """Write pages and pictures again."""
    for page in pages(docs):
        now = page.read_text("utf-8")
        new = filled(now, page.stem == "ja")
        if new != now:
            page.write_text(new, "utf-8")
    for name, draw in {**pictures(), **sketches()}.items():
        (docs / "pictures" / name).write_text(draw(), "utf-8")


# The tables of the maker's guide: costs, pins, plugs, sockets, and how sure each number is.

USES = {
    "columns": ("channel S", "チャンネル S"), "rows": ("row S", "段 S"),
    "data": ("lights' data", "光のデータ"), "dark": ("lights' driver off", "光の駆動を切る"),
    "back": ("end of the chain", "光の鎖の終わり"), "good": ("supply good", "電源良好"),
    "power": ("strips' supply on", "ストリップの電源"),
    "reading": ("the chosen sensor", "選んだセンサー"),
    "rail": ("half of 5 V", "5 V の半分"), "buttons": ("button ", "ボタン "),
}  # fmt: skip
"""Uses of a profile's pins, in English and Japanese; those with several are counted."""


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table of a page."""
    lines = [head, ["---"] * len(head), *rows]
    return "".join(f"| {' | '.join(str(cell) for cell in line)} |\n" for line in lines)


def cost(*, japanese: bool) -> str:
    """Costs of each board's electronics: the sum to pay, then the parts of the board."""
    all_costs = costs()
    head = ["", *(one.name for one in all_costs)]
    words = (
        ("マス", f"この段階で払う額 (基板は {LOT} 枚単位で買う)", "ここまでに払う総額",
         "盤そのものの部品 (`parts.csv`)", "うち回路基板 (枚)", "うち回路基板",
         "うちその他の部品・電源・ケーブル",
         "この盤だけを一から、送料・税も入れて (`all-in.csv`、磁石と樹脂は別)")
        if japanese else
        ("cells", f"you pay at this step, circuit boards in {LOT}s", "you have paid by then",
         "what the board consists of (`parts.csv`)", "of it circuit boards",
         "of it the bare boards", "of it parts, supply, ribbons, Pico",
         "this board alone, with shipping and duty, sheets and screws (`all-in.csv`; magnets and "
         "filament beside it)")
    )  # fmt: skip
    bare = [sum(row[3] for row in one.rows if row[0].startswith(CIRCUIT)) for one in all_costs]
    rows: list[list[object]] = [
        [words[0], *(len(load(one.name).cells) for one in all_costs)],
        [words[1], *(f"**${one.added_usd:.0f}**" for one in all_costs)],
        [
            words[2],
            *(f"**${paid:.0f}**" for paid in accumulate(one.added_usd for one in all_costs)),
        ],
        [words[3], *(f"${one.usd:.0f}" for one in all_costs)],
        [words[4], *bare],
        [words[5], *(f"${one.share(circuits=True):.0f}" for one in all_costs)],
        [words[6], *(f"${one.share(circuits=False):.0f}" for one in all_costs)],
        [words[7], *(f"${least:.0f} – {most:.0f}" for least, most in map(all_in, BUILT))],
    ]
    return markdown(head, rows)


def circuits(*, japanese: bool) -> str:
    """Number of circuit boards of each kind for each board, with their sizes."""
    kinds: dict[str, tuple[str, dict[str, int]]] = {}
    for name in BUILT:
        for board in (*boards(name)[0], *boards(name)[1]):
            left, top, right, bottom = board.outline
            size = f"{right - left:.1f} × {bottom - top:.1f} mm"
            count = kinds.setdefault(board.name, (size, {}))[1]
            count[name] = count.get(name, 0) + 1
    head = ["基板", "大きさ", *BUILT] if japanese else ["circuit board", "size", *BUILT]
    rows = [
        (f"`{kind}`", size, *(count.get(name, "–") for name in BUILT))
        for kind, (size, count) in sorted(kinds.items())
    ]
    return markdown(head, rows)


def parts(name: str, *, japanese: bool) -> str:
    """Every part of a board with its maker's number and count."""
    board = next(one for one in costs() if one.name == name)
    head = (
        ["部品番号", "値", "外形", "個数", "$"]
        if japanese
        else ["part", "value", "package", "count", "$"]
    )
    rows = [
        (f"`{part}`", value, package, count, f"{usd:.2f}" if usd >= 0.005 else "< 0.01")
        for part, value, package, count, _, usd in board.rows
    ]
    return markdown(head, rows)


def pins(name: str, *, japanese: bool) -> str:
    """The Pico's pins of a profile."""
    wired = load(name).pins
    rows = []
    for key in wired.__struct_fields__:
        value, use = getattr(wired, key), USES[key][japanese]
        first = 1 if key == "buttons" else 0
        named = [f"{use}{n + first}" for n in range(len(value))] if isinstance(value, tuple) else []
        many = value if isinstance(value, tuple) else (value,)
        for gp, what in zip(many, named or [use], strict=True):
            rows.append((what, f"GP{gp}", PICO.pad(f"GP{gp}")))
    head = ["用途", "GP", "ピン"] if japanese else ["use", "GP", "pin of the Pico"]
    return markdown(head, rows)


def wires(name: str, *, japanese: bool) -> str:
    """Each wire of a strip on a bench."""
    head = (
        ["プラグの番号", "信号", "Pico", "ピン", "注"]
        if japanese
        else ["way of the plug", "net", "to the Pico's", "pin", "note"]
    )
    rows = []
    for way, net, gp, pin, note in bench(load(name)):
        translated = note.replace("leave open: 5 V", "つながない (5 V)").replace(" to ", " → ")
        translated = translated.replace(", pin ", "、ピン ")
        rows.append((way or "–", net, gp or "–", pin or "–", translated if japanese else note))
    return markdown(head, rows)


def plug(*, japanese: bool) -> str:
    """The ways of a ribbon, odd ones on the left as they lie in the plug."""
    head = ["番号", "信号", "番号", "信号"] if japanese else ["way", "net", "way", "net"]
    odd = [way for way in PLUG_NETS if int(way) % 2]
    rows = [(way, PLUG_NETS[way], n := str(int(way) + 1), PLUG_NETS[n]) for way in odd]
    return markdown(head, rows)


def sockets(name: str, *, japanese: bool) -> str:
    """Parts plugged into each socket of the base board."""
    cap = "ジャンパー (6–8)" if japanese else "jumper cap on ways 6 and 8"
    strips = boards(name)[0]
    rows: list[tuple[str, str, object]] = [
        (f"J{n}", f"`{board.name}`", sum(part.ref[0] == "S" for part in board.parts))
        for n, board in enumerate(strips, 1)
    ]
    first = len(strips) + 1
    if first <= MAX_STRIPS:
        rows.append((f"J{first} – J{MAX_STRIPS}", cap, "–"))
    head = ["ソケット", "差すもの", "マス"] if japanese else ["socket", "plugged in", "cells"]
    return markdown(head, rows)


BOX = {
    "tray": ("floor, walls and posts; the base board stands in it", "any, stiff", "床・壁・柱"),
    "deck": ("carries the strips", "any, stiff", "ストリップを載せる板"),
    "grid": ("separates the lights of the cells", "white", "光の格子"),
    "floor": ("spreads the light; pieces stand on it", "opal: white and translucent", "乳白の床"),
    "recess": ("its holes are the recesses", "opal or clear", "くぼみの板"),
    "rim": ("frame with letters and numbers", "any", "縁と文字"),
}  # fmt: skip
"""The parts of a box from below: what for, colour, and in Japanese."""


@cache
def _box(name: str) -> Design:
    return design(load(name))


def prints(name: str, *, japanese: bool) -> str:
    """The printed parts of a box, from below."""
    box = _box(name)
    laser = {sheet.name for sheet in flat.sheets(box)}
    rows = []
    for part in PARTS:
        files = [box.file(part, n) for n in range(box.cuts(part).pieces)]
        what, colour, japanese_name = BOX[part]
        cut = f"`{part}.dxf`" if part in laser else "–"
        rows.append((" ".join(f"`{file}`" for file in files), japanese_name if japanese else what,
                     *(() if japanese else (colour,)), cut))  # fmt: skip
    head = ["印刷", "何", "レーザー"] if japanese else ["print", "what", "plastic", "or by laser"]
    return markdown(head, rows)


def screws(name: str, *, japanese: bool) -> str:
    """Parts of a box besides plastic."""
    head = ["部品", "個数", "用途"] if japanese else ["part", "count", "for"]
    return markdown(head, shopping(_box(name)))


def marks(which: str, *, japanese: bool) -> str:
    """The letters of a picture with the pads that they name."""
    head = ["記号", "場所", "信号"] if japanese else ["letter", "pad", "net"]
    places = STRIP_MARKS if which == "strip" else BASE_MARKS
    printed = "その文字のパッド" if japanese else "the one beside its letter"
    rows = [(m.letter, printed if m.is_printed else f"{m.ref}, pad {m.pad}", m.net) for m in places]
    return markdown(head, rows)


ROUND = {
    "": ("either way", "どちらでもよい"),
    "legs": ("fits only one way", "一方にしか合わない"),
    "dot": ("pin 1 at the dot", "1 番を点に"),
    "ring": ("its ring at pad 1", "帯を 1 番に"),
    "cathode": ("its mark, the cathode, at pad 1", "カソードの印を 1 番に"),
    "plus": ("the longer leg into pad 1, the square one", "長い足を四角い 1 番に"),
    "key": ("key as drawn", "切り欠きを図のとおりに"),
    "usb": ("USB plug to the edge of the board", "USB を基板の縁へ"),
}  # fmt: skip
"""Words for a part's mark (`parts.Mark`), in English and Japanese."""


def _numbered(ref: str) -> tuple[str, int]:
    """Letters and number of a designator."""
    kind = ref.rstrip("0123456789")
    return kind, int(ref.removeprefix(kind))


def spans(refs: Sequence[str]) -> str:
    """Designators in their order, neighbours as a span.

    >>> spans(["F1", "F2", "F3", "F20", "C4", "C5"])
    'C4 C5 F1–F3 F20'
    """
    runs: list[list[tuple[str, int]]] = []
    for kind, n in sorted(map(_numbered, refs)):
        if runs and runs[-1][-1] == (kind, n - 1):
            runs[-1].append((kind, n))
        else:
            runs.append([(kind, n)])
    words = []
    for run in runs:
        named = [f"{kind}{n}" for kind, n in run]
        words += [f"{named[0]}–{named[-1]}"] if len(run) > 2 else named
    return " ".join(words)


def placed(which: str, *, japanese: bool) -> str:
    """Parts that are soldered to a board: where, what, and which way round."""
    board = boards("strip5")[0][0] if which == "strip" else boards("hex3")[1][0]
    refs: dict[str, list[str]] = {}
    kinds = {one.part.number: one.part for one in board.parts if one.part.number}
    for one in board.parts:
        refs.setdefault(one.part.number, []).append(one.ref)
    head = (
        ["場所", "値", "外形", "向き"]
        if japanese
        else ["where", "value", "package", "which way round"]
    )
    rows = [
        (
            spans(refs[number]),
            part.value,
            part.land.removesuffix("below"),
            ROUND[part.mark][japanese],
        )
        for number, part in sorted(kinds.items(), key=lambda one: min(map(_numbered, refs[one[0]])))
    ]
    return markdown(head, rows)


def happens(*, japanese: bool) -> str:
    """Return the page on what a base board does when something is done wrong."""
    head = ["したこと", "起きること"] if japanese else ["done", "what happens"]
    named = happenings.names(boards("hex3")[1][0])
    return markdown(
        head,
        [[words.format(**named) for words in one.said[japanese]] for one in happenings.HAPPENINGS],
    )


def standing(*, japanese: bool) -> str:
    """Every fact with how sure it is, the least sure first."""
    order = ("assumed", "computed", "emulated", "chosen", "measured")
    names = dict(zip(order, ("仮定", "計算", "エミュレーター", "選択", "実測"), strict=True))
    head = ["量", "値", "根拠", "出所"] if japanese else ["what", "value", "standing", "from"]
    rows: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for name, fact in sorted(facts().items(), key=lambda one: order.index(one[1].standing)):
        board, dot, _ = name.partition(".")
        values = rows.setdefault((fact.what, fact.standing), [])
        values.append((f"{fact.words} ({board})" if dot else fact.words, fact.source))
    return markdown(
        head,
        [
            (
                what,
                ", ".join(words for words, _ in values),
                names[sure] if japanese else sure,
                values[0][1],
            )
            for (what, sure), values in rows.items()
        ],
    )


_MAKERS = (
    cost, circuits, parts, pins, wires, plug, sockets, prints, screws, marks, placed, happens,
    standing,
)  # fmt: skip
TABLES: dict[str, Callable[..., str]] = {one.__name__: one for one in _MAKERS}
"""Maker of each table, by its name in a page."""


# What each board of the guide takes to buy, and what each adds to the one before (see `prices`).

LOT = 5
"""The fewest boards of a kind that board makers sell."""
CIRCUIT = "circuit board "


@dataclass(frozen=True)
class Cost:
    """One board's electronics in dollars; `added` counts what the boards before do not have yet."""

    name: str
    rows: tuple[electronics.Row, ...]
    added: tuple[tuple[str, int, float], ...]
    """(part, count, dollars), circuit boards in lots."""

    @property
    def usd(self) -> float:
        """As `parts.csv` says."""
        return sum(row[-1] for row in self.rows)

    def share(self, *, circuits: bool) -> float:
        """The bare circuit boards, or everything else."""
        return sum(row[-1] for row in self.rows if row[0].startswith(CIRCUIT) == circuits)

    @property
    def added_usd(self) -> float:
        """Sum paid after the boards before."""
        return sum(dollars for *_, dollars in self.added)


@cache
def boards(name: str) -> tuple[tuple[Board, ...], tuple[Board, ...]]:
    """The strips of a board of the guide, and its base board if it has one; without long tracks."""
    profile = load(name)
    plans = strips(profile)
    others = (electronics.base_parts(profile.pins),) if len(plans) > 1 else ()
    return tuple(electronics.strip_parts(plan) for plan in plans), others


def all_in(name: str) -> tuple[float, float]:
    """Dollars for a board of the guide by itself, from and to, as a release counts them."""
    profile = load(name)
    mine, others = boards(name)
    loose = electronics.loose_parts(profile) if others else electronics.BENCH_PARTS
    return prices.total(prices.all_in([*mine, *others], loose, ribbons=len(mine)))


@cache
def costs() -> tuple[Cost, ...]:
    """The boards of the guide in their order; each takes over what the one before consists of."""
    have: Counter[str] = Counter()
    costs_of_boards = []
    for name in BUILT:
        profile = load(name)
        mine, others = boards(name)
        loose = electronics.BENCH_PARTS if not others else electronics.loose_parts(profile)
        rows = electronics.shopping_rows(mine, others, loose)
        added = []
        for part, _, _, count, each, _ in rows:
            more = max(0, count - have[part])
            if part.startswith(CIRCUIT):
                more = LOT * ceil(more / LOT)
            if more:
                added.append((part, more, round(more * each, 2)))
                have[part] += more
        costs_of_boards.append(Cost(name, tuple(rows), tuple(added)))
    return tuple(costs_of_boards)
