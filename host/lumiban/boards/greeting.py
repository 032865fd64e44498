"""Who answers: the board's HELLO as a Hello, and whether it fits the profile."""

from __future__ import annotations

from lumiban_fw import wire

from lumiban.boards.profile import Profile
from lumiban.boards.types import Hello, Lost


def answer(
    kind: int, flags: int, payload: bytes, session: int, profile: Profile, uid: str
) -> Hello | Lost | int | None:
    """What a frame says to a host that greets with this session, whole and of any major version.

    The board's Hello when it is ours; Lost when it is not; the major version in its FAULT; None
    for all that is not about our greeting. `uid` is that of the board we know, "" of none.
    ValueError when the frame is too short.
    """
    major = flags >> wire.MAJOR_SHIFT
    if kind == wire.B_FAULT:
        what, theirs = wire.unpack_fault(payload)
        return theirs if what == wire.FAULT_VERSION else None
    if kind != wire.B_HELLO:
        return None
    if major != wire.MAJOR:
        ours = echoed_session(payload) == session
        return Lost("wrong-major", str(major)) if ours else None
    echoed, major, hello = read_hello(payload)
    if echoed != session:
        return None
    if major != wire.MAJOR:
        return Lost("wrong-major", str(major))
    if unlike := mismatch(hello, profile):
        return Lost("wrong-board", unlike)
    return hello if uid in ("", hello.uid) else Lost("other-board", hello.uid)


def read_hello(payload: bytes) -> tuple[int, int, Hello]:
    """(session echoed, major, Hello) of a board's HELLO; ValueError when it is too short."""
    (
        major,
        _minor,
        model,
        revision,
        cells,
        lights,
        firmware,
        uid,
        boot_id,
        session,
        now_us,
        scan_hz,
        capabilities,
        reset_cause,
    ) = wire.unpack_board_hello(payload)
    hello = Hello(
        model=model.rstrip(b"\0").decode("ascii", "replace"),
        revision=revision,
        cells=cells,
        lights=lights,
        firmware=firmware,
        uid=uid.hex(),
        boot_id=boot_id,
        now_us=now_us,
        scan_hz=scan_hz,
        capabilities=capabilities,
        reset_cause=reset_cause,
    )
    return session, major, hello


def echoed_session(payload: bytes) -> int:
    """The session in a HELLO of any major version, whose place never changes; −1 without one.

    >>> echoed_session(bytes(29) + bytes([5, 1, 0, 0]))
    261
    """
    return int.from_bytes(payload[29:33], "little") if len(payload) >= 33 else -1


def mismatch(hello: Hello, profile: Profile) -> str:
    """What the board has and the profile does not expect; "" when they fit."""
    found = (hello.model, hello.cells, hello.lights)
    expected = (profile.model, len(profile.cells), profile.lights)
    if found == expected:
        return ""
    return (
        f"the board is {found[0]!r} with {found[1]} cells and {found[2]} lights, the profile "
        f"{expected[0]!r} has {expected[1]} cells and {expected[2]} lights"
    )
