"""Writes the tables of docs/faults.md: each failure of a board, provoked, and how play went on.

`./run docs` writes them; a test generates them again and compares. Every row is a game in virtual
time, of Control on hex3 unless it names another, and of Trivia on a board of switches: some stones
are set, the fault begins, a person tries to play on, the fault ends, and people do what the table
asks. The reactions of board and table are read from the flight recording.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from lumiban.boards.messages import unpacked
from lumiban.i18n import text
from lumiban.table.types import Step
from lumiban_fw import wire
from lumiban_sim.faults import FORMS
from lumiban_sim.hands import Tempo

from lumiban_lab.documents import DOCS
from lumiban_lab.faulty_rig import faulty_rig
from lumiban_lab.soak_check import check, check_light
from lumiban_lab.soak_people import People
from lumiban_lab.soak_table import SoakTable

PAGE = DOCS / "faults.md"
BEGIN, END = "<!-- made by ./run docs -->\n", "<!-- end -->\n"
BEGINS_US = 12_000_000
"""Time in µs at which the fault begins."""
TRIES_US = 14_000_000
"""Time in µs at which a person tries to play on."""
LOOKS_US = 19_500_000
"""Time in µs at which somebody reads the page; faults end at 20 s."""
Stones = tuple[tuple[str, int], ...]
STONES: Stones = (("a1", 1), ("e3", 2), ("c1", 1), ("c5", 2))
LONG: Stones = (("h1", 1), ("a1", 2), ("h3", 1), ("a8", 2))
"""The same, with two of them on cells of a long strip that a broken S3 also shows on others."""
NAMES = {
    value: name.removeprefix("FAULT_")
    for name, value in vars(wire).items()
    if name.startswith("FAULT_") and name != "FAULT_GONE"
}


@dataclass(frozen=True, slots=True)
class Case:
    """One failure: its name, its plan, its symptom in the data, the cell of the move tried; the
    game, its size, the board, the stones set before."""

    name: str
    plan: str
    data: str
    tries: str = "a3"
    game: str = "control"
    size: int = 3
    board: str = "hex3"
    stones: Stones = STONES
    is_slow: bool = False
    """True if hands move slowly."""


CASES = (
    Case("stuck sensor", "at 12s for 8s stuck a3", "the same count again and again"),
    Case("dead sensor", "at 12s for 8s dead a3", "a count near zero: a field no magnet makes"),
    Case("strip cable, mux or ADC", "at 12s for 8s cable of row 4", "reference near zero"),
    Case("loose connector", "at 12s for 8s loose plug of row 4", "reference on and off"),
    Case("select line broken", "at 12s for 8s select line S1", "channels 0 and 2, 1 and 3 alike"),
    Case(
        "select line broken, a long strip",
        "at 12s for 8s select line S3 of row 7",
        "channels 0 and 8, 1 and 9 … alike: a piece shows on two cells",
        "h4",
        size=8,
        board="hex8",
        stones=LONG,
    ),
    Case(
        "the same in Evening, without turns",
        "at 12s for 8s select line S3 of row 7",
        "the same",
        "h4",
        "evening",
        8,
        "hex8",
        (("h2", 1), ("h3", 2)),
    ),
    Case("dead light", "at 12s for 8s dark light a1", "nothing: no sensor sees light"),
    Case("brown-out", "at 12s for 8s brown-out to 4200mV", "the rail, measured"),
    Case("deep brown-out", "at 12s for 8s brown-out to 3000mV", "all counts and the rail"),
    Case(
        "current over the cable",
        "at 12s for 8s thin cable of 25ohm",
        "the rail falls with the light",
    ),
    Case(
        "noise spikes", "at 12s for 8s spikes of 40mT at 40/s", "single readings far from the rest"
    ),
    Case("stacked pieces", "at 12s for 8s stacked c1 white", "a stronger field"),
    Case("piece between two cells", "at 12s for 8s between b2 b3 white", "almost no field"),
    Case("displaced piece", "at 12s for 8s displaced c1 by 5mm", "a strong piece reads weak"),
    Case("flipped piece", "at 12s for 8s flipped c1", "the other sign, without a lift"),
    Case("weak magnet", "at 12s for 8s weak c1 to 50%", "a strong piece reads weak"),
    Case("lost magnet", "at 12s for 8s weak c1 to 0%", "no field"),
    Case("temperature drift", "at 12s for 8s warm by 25K", "zeros shift a little"),
    Case("power-on with pieces standing", "at 12s reset", "all fields at once"),
    Case("foreign magnet", "at 12s for 8s foreign b2", "a field above 55 mT"),
    Case("a toddler", "at 12s toddler with 12 pieces", "a dozen placements, half of them lifted"),
    Case("USB unplugged", "at 12s for 8s unplug", "silence"),
    Case("the firmware hangs", "at 12s hang", "two seconds of silence, a new boot"),
    Case("host killed in mid-move", "at 14500ms for 3s kill host", "no frames from the host"),
    Case("power of the host's card lost", "at 14500ms for 3s torn journal", "a torn last line"),
    Case("line noise", "at 12s for 8s noisy line 1%", "wrong checksums"),
    Case("host stalls", "at 12s for 8s stall", "no room on the line"),
)

SLOW = Tempo(travel=0.1, touch=(0.004, 0.01), pause_us=(1_000_000, 2_000_000))
TURNS: Stones = (("d4", 1), ("c3", 2), ("e5", 2), ("c6", 3))
"""Of Trivia on 64 squares: a first stone and a turn."""


def of_switches(name: str, plan: str, data: str, tries: str = "f3", slow: bool = False) -> Case:
    """A failure of a board of 64 reeds, in Trivia."""
    return Case(name, plan, data, tries, "trivia", 8, "breadboard8", TURNS, slow)


SWITCH_CASES = (
    of_switches("nothing but bounce", "", "each contact opens and closes for 0.6 ms"),
    of_switches("slow hands", "", "a piece closes its reed long before it stands", slow=True),
    of_switches("reed or wire open", "at 12s for 8s dead f3", "open whatever stands there"),
    of_switches("wire of a row off", "at 12s for 8s cable of row 5", "a row open"),
    of_switches("reed closed for good", "at 12s for 8s closed g7", "closed with nothing there"),
    of_switches("two magnets on one reed", "at 12s for 8s wide g3 f3", "a neighbour closes too"),
    of_switches("two reeds on one pin", "at 12s for 8s joined f3 g6", "two cells close together"),
    of_switches(
        "no diodes in the matrix", "at 12s for 8s bare matrix", "c3, c6 and f3 also close f6"
    ),
)


@dataclass(slots=True)
class Story:
    """Result of one case."""

    faults: list[str] = field(default_factory=list)
    verdicts: list[str] = field(default_factory=list)
    reads: str = ""
    tried: str = ""
    moves: list[str] = field(default_factory=list)
    agrees: bool = False
    blinking: int = 0
    recordings: list[tuple[Mapping[str, Any], list[list[Any]]]] = field(default_factory=list)


def tell(case: Case) -> Story:
    """Play one case. Raises CheckFailed if something is lost in it."""
    story = Story()
    with TemporaryDirectory() as folder:
        rig = faulty_rig(case.board, 7, case.plan, tempo=SLOW if case.is_slow else None)
        table = SoakTable(
            rig,
            case.game,
            {"size": case.size},
            ("human", "human"),
            seed=7,
            folder=Path(folder),
            recorded=True,
        )
        people = People(table, clumsy=0.0)
        table.rest(1_000_000)
        grid = table.session.match.history.game.grid
        for name, kind in case.stones:
            people.do(Step("place", grid.cell(name), kind))
        table.rest(max(TRIES_US - table.now_us, 0))
        rig.hands.place(rig.profile.grid.cell(case.tries), 1, hand="person")
        table.rest(max(LOOKS_US - table.now_us, 4_000_000 if case.is_slow else 0))
        sentence = table.view["verdict"]["text"]
        story.reads = "" if sentence is None else text(sentence["id"], "en", **sentence["params"])
        moves = table.session.match.history.moves[len(case.stones) :]
        story.tried = "played" if any(case.tries in str(move) for move in moves) else "waits"
        others = [str(move) for move in moves if case.tries not in str(move)]
        if others and (story.tried == "waits" or rig.profile.is_of_switches):
            story.tried += f"; {', '.join(others)} was taken for a move"
        for code, place in sorted(table.session.board.faults.held):
            if code == wire.FAULT_MIRROR:
                _add(story.faults, f"{_named(code, place)} (found by the host)")
        table.rest(1_500_000)
        people.settle()
        check(table)
        story.agrees = people.mend()
        people.settle()
        check(table)
        check_light(table)
        story.blinking = table.worst_blinking
        story.moves = [str(move) for move in table.session.match.history.moves]
        story.recordings = [*table.recordings, table.lines()]
    for head, lines in story.recordings:
        _read(head, lines, story)
    return story


def _read(head: Mapping[str, Any], lines: list[list[Any]], story: Story) -> None:
    """Read from a recording the faults that the board reported and the verdicts since the fault."""
    now_us, decoder = int(head["now_us"]), wire.Decoder()
    for what, *values in lines:
        if what in ("o", "r", "p", "s"):
            now_us += int(values[0])
        if what == "r":
            for kind, _, _, _, payload in decoder.feed(bytes.fromhex(values[1])):
                if kind == wire.B_FAULT:
                    _add(story.faults, _named(*unpacked(wire.B_FAULT, payload).fields[:2]))
        elif what == "s" and values[3] is not None and now_us >= BEGINS_US:
            _add(story.verdicts, values[3]["is"])
        elif what == "s" and now_us >= BEGINS_US:
            for one in values[1]:
                if isinstance(one, list) and one[0] == "Publish":
                    _add(story.verdicts, "")


def _named(what: int, where: int) -> str:
    over = what & wire.FAULT_GONE
    name = NAMES.get(what & ~wire.FAULT_GONE, str(what))
    return f"{name} {where} over" if over else f"{name} {where}"


def _add(faults: list[str], what: str) -> None:
    """Append a fault once: boards repeat it every five seconds while it lasts."""
    if what and what not in faults:
        faults.append(what)


def table(cases: tuple[Case, ...] = CASES) -> Iterator[str]:
    """The lines of the table."""
    board = ("failure", "symptom in the data", "the board reports")
    heads = (*board, "the table", "people read", "the move tried", "in the end")
    yield f"| {' | '.join(heads)} |\n{'|---' * len(heads)}|\n"
    for case in cases:
        story = tell(case)
        reported = ", ".join(story.faults) or "nothing"
        verdicts = " → ".join(story.verdicts) or "Agree"
        reads = story.reads or "nothing"
        end = "agrees" if story.agrees else "STUCK"
        moves = f"{end}, {len(story.moves)} moves"
        name = f"{case.name}: `{case.plan}`" if case.plan else case.name
        yield (
            f"| {name} | {case.data} | {reported} | {verdicts} "
            f"| {reads} | {story.tried} | {moves} |\n"
        )


def forms() -> Iterator[str]:
    """The lines of the list of fault forms."""
    yield "| written | `for` | what it does |\n|---|---|---|\n"
    words = {"once": "no", "lasts": "if it ends", "ends": "yes"}
    for form in FORMS:
        yield f"| `{form.words}` | {words[form.time]} | {form.what} |\n"


def page() -> str:
    """docs/faults.md with its generated parts generated again."""
    parts = PAGE.read_text("utf-8").split(BEGIN)
    made = ["".join(forms()), "".join(table()), "".join(table(SWITCH_CASES))]
    out = [parts[0]]
    for lines, rest in zip(made, parts[1:], strict=True):
        out += [BEGIN, "\n", lines, "\n", END, rest.split(END, 1)[1]]
    return "".join(out)


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
