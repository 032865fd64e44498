"""What a session shows after each step: light on the board, the step for hands, the view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from lumiban.boards.mapping import paint
from lumiban.boards.types import LightFrame
from lumiban.games.base import Mark
from lumiban.scene import meanings as means
from lumiban.scene.draw import NO_CELL, draw
from lumiban.table import coach, guidance
from lumiban.table.types import Output, Prompt, Publish, Show
from lumiban.table.view import View

if TYPE_CHECKING:
    from lumiban.table.session import Session


class Showing:
    """Keeps what was shown last, so that only news goes out."""

    def __init__(self) -> None:
        self.frame: LightFrame | None = None
        self.prompt = Prompt(())
        self.view: Mapping[str, Any] = {}
        """What was shown last."""
        self._views = View()
        self._agreed = False

    def new_game(self) -> None:
        """Board and game have not agreed yet."""
        self._agreed = False

    def news(self, session: Session, *, hands_may: bool) -> list[Output]:
        """What differs from before, the light first; `hands_may` when a machine's choice is on
        disk."""
        match, out = session.match, list[Output]()
        marks = guidance.marks(match, session.hint, session.bots.question)
        marks = (*marks, *coach.marks(session))
        if session.no_room:
            cells = range(len(match.course.game.grid))
            marks = tuple(Mark(cell, means.LOST) for cell in (*cells, NO_CELL))
        picture = draw(
            marks,
            grid=match.course.game.grid,
            theme=session.theme,
            covered=frozenset(cell for cell, kind in enumerate(match.sensed.kinds) if kind),
            edges=tuple(name for name, _ in session.profile.edges),
        )
        frame = paint(picture, match.placing, session.profile)
        if frame != self.frame:
            self.frame = frame
            out.append(Show(frame))
        self._agreed = self._agreed or guidance.agrees(match)
        prompt = guidance.prompt(match, hands_may, self._agreed)
        if session.no_room:
            prompt = Prompt(())
        if prompt != self.prompt:
            self.prompt = prompt
            out.append(prompt)
        view = self._views.after(session, marks, frame, prompt)
        if view is not None:
            self.view = view
            out.append(Publish(view))
        return out

    def anew(self) -> None:
        """All is told again, though it be the same."""
        self.frame = None
        self.prompt = Prompt(())
        self._views.forget()
        self._agreed = False
