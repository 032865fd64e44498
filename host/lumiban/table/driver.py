"""A driver of a session: lets it follow what comes, and has each of its outputs done.

A session is a machine without I/O. A class with a board, a journal, bots or a page for it derives
from `SessionDriver` and says what is done with an output by the method of its name; what is not
needed is left out. So the table's host, scripts, benches in virtual time and tests step a session
alike.
"""

from __future__ import annotations

from collections.abc import Sequence

from lumiban.table.requests import ErrorText, TableRequest, UnknownRequest
from lumiban.table.session import Session
from lumiban.table.types import (
    Acknowledge,
    Append,
    AskBot,
    AskCoach,
    Command,
    Durable,
    Finished,
    Hung,
    Input,
    NewJournal,
    Output,
    Ponder,
    Prompt,
    Publish,
    Question,
    Reply,
    Show,
    StopBot,
)


def _nothing(*told: object) -> None:
    """Do nothing."""


_METHODS = {
    Show: "on_show",
    Append: "on_append",
    Acknowledge: "on_acknowledge",
    Publish: "on_publish",
    Prompt: "on_prompt",
    AskBot: "on_ask",
    AskCoach: "on_ask",
    Ponder: "on_ponder",
    StopBot: "on_stop_bot",
    Reply: "on_reply",
    NewJournal: "on_new_journal",
    Hung: "on_hung",
    Finished: "on_finished",
}
"""What is done with an output: its fields are handed over, and whole a prompt, a question, an end.

`on_show` lets the board show a frame; `on_append` writes a record to the journal; `on_acknowledge`
lets the board forget the events before this one; `on_publish` tells page and watchers; `on_prompt`
asks the hands; `on_ask` has a bot or the coach think, `on_ponder` a bot on a person's time, and
`on_stop_bot` voids a question; `on_reply` tells who made a request what came of it;
`on_new_journal` begins another journal; `on_hung` ends a hang, after which the session has begun
its turn again; `on_finished` keeps the record of a game that ended.
"""


class SessionDriver:
    """One session and what is done for it; `begin` gives it the session."""

    session: Session
    prompt: Prompt
    """Steps that hands are asked to do."""

    def begin(self, session: Session) -> None:
        """Drive this session from now on."""
        self.session = session
        self.prompt = Prompt(())
        self._inbox: list[Input] = []
        self._is_stepping = False
        self._requests = 0
        self._replied: dict[int, ErrorText | None] = {}

    def host_us(self) -> int:
        """Return the host's time of a step, µs."""
        raise NotImplementedError

    def step(self, *inputs: Input) -> None:
        """Let the session follow these inputs and do what it says.

        What comes in while outputs are being done waits for the next round.
        """
        self._inbox += inputs
        if self._is_stepping:
            return
        self._is_stepping = True
        try:
            while True:
                self._round()
                if not self._inbox:
                    return
        finally:
            self._is_stepping = False

    def answer_to(self, request: TableRequest | UnknownRequest) -> ErrorText | None:
        """Make a request of the table; None when it was done, else why it was not.

        A session answers in the step that takes the request, never later.
        """
        self._requests += 1
        number = self._requests
        self.step(Command(request, number))
        return self._replied.pop(number, None)

    def _round(self) -> None:
        taken, self._inbox = self._inbox, []
        now_us = self.host_us()
        outputs = self.session.step(now_us, taken)
        self.on_stepped(now_us, taken, outputs)
        written = -1
        for output in outputs:
            if isinstance(output, Append):
                written = output.number
            self.do(output)
        if written >= 0:
            self.on_written(written)

    def do(self, output: Output) -> None:
        """Hand an output to the method of its name: its fields, or whole what is acted on later."""
        act = getattr(self, _METHODS[type(output)], _nothing)
        if isinstance(output, Prompt):
            self.prompt = output
        if isinstance(output, Prompt | Question | Finished):
            act(output)
        else:
            act(*(getattr(output, name) for name in type(output).__match_args__))

    # What is done with an output: nothing, unless a class says so by a method of `_METHODS`.

    def on_stepped(self, now_us: int, taken: Sequence[Input], outputs: Sequence[Output]) -> None:
        """Note a step, before its outputs are done."""

    def on_written(self, number: int) -> None:
        """All records of a step up to this number were handed over: without a journal they are
        kept at once."""
        self._inbox.append(Durable(number))

    def on_reply(self, to: int, error: ErrorText | None) -> None:
        """Tell who made the request of this number what came of it."""
        self._replied[to] = error
