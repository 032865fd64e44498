"""Greets a board that nobody has described yet, and finds the profile that fits it."""

from __future__ import annotations

from lumiban_fw import wire

from lumiban.boards.driver import Line
from lumiban.boards.greeting import mismatch, read_hello
from lumiban.boards.ports import said
from lumiban.boards.profile import Profile, load, names
from lumiban.boards.types import Hello
from lumiban.errors import BoardError, NotABoard, WrongMajor

PATIENCE_US = 2_500_000
AGAIN_US = 250_000
_SESSION = 0x4D454554


def meet(
    line: Line, port: str = "", patience_us: int = PATIENCE_US, *, session: int = _SESSION
) -> Hello:
    """The HELLO of whatever board is at the other end, also of one in its rescue.

    NotABoard when nothing of ours answers, WrongMajor when it speaks another version.
    """
    decoder = wire.Decoder()
    end = line.now_us + patience_us
    while line.now_us < end:
        line.write(b"\0" + wire.frame(wire.H_HELLO, wire.pack_host_hello(session)))
        again = min(end, line.now_us + AGAIN_US)
        while line.now_us < again:
            for kind, flags, _, _, payload in decoder.feed(line.read(again)):
                if kind == wire.B_HELLO and flags >> wire.MAJOR_SHIFT != wire.MAJOR:
                    raise WrongMajor(
                        said("board.open.wrong-major", port=port, detail=flags >> wire.MAJOR_SHIFT)
                    )
                if kind == wire.B_HELLO:
                    echoed, _, hello = read_hello(payload)
                    if echoed == session:
                        return hello
    raise NotABoard(said("board.open.not-a-board", port=port))


def fitting(hello: Hello, wish: str = "") -> Profile:
    """The profile of this board: the one that is wished, else the built-in one that it names.

    BoardError when it does not fit or none does; ProfileError for a bad file.
    """
    if wish:
        profile = load(wish)
        if unlike := mismatch(hello, profile):
            raise BoardError(said("maker.profile.other", detail=unlike))
        return profile
    for name in names():
        profile = load(name)
        if not mismatch(hello, profile):
            return profile
    raise BoardError(
        said("maker.profile.unknown", model=hello.model, cells=hello.cells, lights=hello.lights)
    )
