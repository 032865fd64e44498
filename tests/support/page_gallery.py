"""Views that a page has to show: what a table's conversations publish, each kind of state once.

    for scene in scenes(): scene.game, scene.board, scene.state, scene.view

The conversations hold refusals, mending, waits, choices, endings, doves that slide and Rengi's
chains; clocks, the coach and a photo finish are written in, as a host tells them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from conversations import Conversation
from lumiban.boards import profile as profiles
from lumiban.games.builtin_lessons import LESSONS
from lumiban.runtime.page_hello import page_hello
from places import TESTS
from web_client import ScriptedTable

View = dict[str, Any]
LATER = {"later_ms": 0, "periods": None, "moves": None}
CLOCKS = {
    "control": "byo:10m+5x30s",
    "text": {"id": "clock.none", "params": {}},
    "clocks": [
        {**LATER, "stage": "period", "left_ms": 9_400, "periods": 1},
        {**LATER, "stage": "main", "left_ms": 245_000},
    ],
    "running": 0,
}


def lessons(slug: str) -> list[View]:
    """The steps of a game's lesson, as a view tells them: before the learner's move, after one that
    was not meant, and after the right one in turns; [] for a game without one."""
    lesson = LESSONS.get(slug)
    if lesson is None:
        return []
    out = []
    for n in range(len(lesson.steps)):
        title, idea, *answers = (
            {"id": lesson.text_id(n, what), "params": {}} for what in ("title", "", "not", "right")
        )
        said = [None, *answers][n % 3]
        where = {"game": slug, "step": n + 1, "steps": len(lesson.steps)}
        told = {"title": title, "text": idea, "said": said, "is_right": said is answers[-1]}
        out.append({**where, **told, "words": [] if said else [[0, "resign"]]})
    return out


@dataclass(frozen=True)
class Scene:
    """A view with the game and the board that it is of; `state` says what kind of view it is."""

    game: str
    board: str
    state: tuple[str, ...]
    view: View = field(compare=False)


@dataclass
class GalleryTable(ScriptedTable):
    """A table that shows any of these; what the page asks for changes nothing."""

    scene: Scene | None = None

    def hello(self) -> dict[str, Any]:
        assert self.scene is not None
        return dict(page_hello(profiles.load(self.scene.board), simulated=False))

    def view(self) -> View:
        assert self.scene is not None
        return {**self.scene.view, "v": self.shown}

    async def command(self, request: Any, role: str) -> None:
        """Nothing is done."""

    def tell(self, scene: Scene, **more: Any) -> None:
        """Show a scene to all tabs, changed as `more` says."""
        self.scene = Scene(scene.game, scene.board, scene.state, {**scene.view, **more})
        self.shown += 1
        for callback in list(self.watchers):
            callback(self.view())


def state_of(view: Mapping[str, Any]) -> tuple[str, ...]:
    """What kind of state a view shows; views of one kind look and read alike."""
    verdict = view["verdict"]
    text = verdict["text"] or {}
    return (
        verdict["kind"],
        text.get("id", ""),
        view["prompt"]["wait"],
        view["drift"],
        "over" if view["outcome"] else "",
        "asked" if (view["audit"] or {}).get("asks") else "",
        "timeout" if view["timeout"] else "",
        "dead" if view["dead"] else "",
        "owing" if view["owing"] else "",
        "pending" if view["pending"] else "",
    )


def _conversation(text: str) -> Iterator[Scene]:
    table: Conversation | None = None
    for raw in text.splitlines():
        doing = raw.split("#")[0].partition("->")[0].split()
        if not doing:
            continue
        if doing[0] == "game":
            table = Conversation(doing)
        else:
            assert table is not None
            table.told(doing)
        match = table.session.match
        view = dict(table.view())
        yield Scene(match.history.game.slug, table.session.profile.name, state_of(view), view)


@cache
def scenes() -> tuple[Scene, ...]:
    """A scene of each kind and game, in the order of the conversations: that of most moves, as most
    stands on the board then."""
    found: dict[tuple[Any, ...], Scene] = {}
    for path in sorted((TESTS / "unit/table/conversations").glob("*.txt")):
        for scene in _conversation(path.read_text("utf-8")):
            known = found.setdefault((scene.game, scene.board, scene.state), scene)
            if len(scene.view["moves"]) >= len(known.view["moves"]):
                found[scene.game, scene.board, scene.state] = scene
    return tuple(found.values())


def scene_of(game: str, state: str) -> Scene:
    """The scene of a game that has most moves in this kind of state; where it has none, any."""

    def fits(scene: Scene) -> bool:
        kind, over = scene.state[0], "over" in scene.state
        return {
            "refused": kind == "refuse",
            "waiting": kind in ("wait", "choose"),
            "mend": kind == "repair",
            "over": over,
        }.get(state, kind == "agree" and not over)

    mine = [scene for scene in scenes() if scene.game == game]
    return max(filter(fits, mine), key=lambda scene: len(scene.view["moves"]), default=mine[-1])
