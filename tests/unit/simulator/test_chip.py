"""The chip: the firmware woken at the right times, and no more often."""

from __future__ import annotations

from lumiban.boards.messages import framed, unpack_events, unpack_state, unpacked
from lumiban.boards.profile import load
from lumiban_fw import wire
from lumiban_sim.chip import Chip
from lumiban_sim.rig import Pipe
from lumiban_sim.world import World

PROFILE = load("hex3")
UID = bytes(range(8))


def powered(seed: int = 0, **options: int | bool) -> tuple[World, Pipe, Chip]:
    world, pipe = World(PROFILE, seed, noise_ut=0), Pipe()
    return world, pipe, Chip(world, pipe, uid=UID, boot_id=41, **options)  # type: ignore[arg-type]  # int and bool options


def heard(pipe: Pipe) -> list[tuple[int, bytes]]:
    return [(kind, payload) for kind, _, _, _, payload in wire.Decoder().feed(pipe.take())]


def greet(pipe: Pipe, chip: Chip, session: int = 7) -> None:
    pipe.give(b"\0" + framed(wire.H_HELLO, wire.MAJOR, wire.MINOR, session))
    chip.run_until(chip.now_us)


def hello(pipe: Pipe) -> dict[str, object]:
    payload = dict(heard(pipe))[wire.B_HELLO]
    names = "major minor model revision cells lights firmware uid boot_id session now_us scan_hz"
    values = unpacked(wire.B_HELLO, payload).fields
    return dict(zip([*names.split(), "capabilities", "reset_cause"], values, strict=True))


def test_hello_says_who_and_what_the_chip_is() -> None:
    _, pipe, chip = powered()
    chip.run_until(400_000)
    greet(pipe, chip)
    told = hello(pipe)
    assert (told["uid"], told["boot_id"], told["now_us"]) == (UID, 41, 400_000)
    assert (told["cells"], told["scan_hz"]) == (19, PROFILE.scan_hz)
    can = wire.CAN_ORDER | wire.CAN_INJECT | wire.CAN_FIELD | wire.CAN_UPDATE
    can |= wire.CAN_IDENTIFY
    assert told["capabilities"] == wire.IS_SIMULATED | can


def test_bytes_wake_the_firmware_at_once() -> None:
    _, pipe, chip = powered()
    chip.run_until(1_000_000)
    assert chip.next_deadline() > 1_000_000
    pipe.give(b"\0")
    assert chip.next_deadline() == 1_000_000


def test_quiet_time_is_skipped() -> None:
    _, _, chip = powered()
    chip.run_until(1_000_000)
    before = chip.frames
    chip.run_until(61_000_000)
    assert chip.frames - before < 150
    _, _, watchful = powered(skipping=False)
    watchful.run_until(1_000_000)
    assert watchful.frames >= 1000


def test_a_reset_is_another_boot_that_finds_the_pieces_standing() -> None:
    world, pipe, chip = powered()
    world.stand(wire.WHITE, 3)
    chip.run_until(2_000_000)
    chip.reset()
    chip.run_until(2_500_000)
    greet(pipe, chip)
    chip.run_until(2_600_000)
    got = heard(pipe)
    names = dict(got)
    told = unpacked(wire.B_HELLO, names[wire.B_HELLO]).fields
    assert told[8] == 42
    assert told[10] == 500_000
    assert unpack_state(names[wire.B_STATE])[6][3] == wire.WHITE
    assert wire.B_EVENTS not in names


def test_a_button_is_an_event_of_its_own_cell() -> None:
    world, pipe, chip = powered()
    chip.run_until(400_000)
    greet(pipe, chip)
    world.press(1, True)
    chip.run_until(chip.now_us + 100_000)
    payloads = [payload for kind, payload in heard(pipe) if kind == wire.B_EVENTS]
    first = unpack_events(payloads[0])[3][0]
    assert (first[0], first[1] & wire.KIND) == (wire.FIRST_BUTTON + 1, wire.DOWN)


def test_before_any_host_a_cell_glows_by_what_it_senses() -> None:
    world, _, chip = powered()
    world.stand(wire.BLACK, 5)
    chip.run_until(1_000_000)
    light = PROFILE.cells[5].light
    dark = PROFILE.cells[6].light
    assert world.light[3 * light : 3 * light + 3] != world.light[3 * dark : 3 * dark + 3]


class _Hoarder(Pipe):
    """A line whose bytes stay although they were read."""

    def read(self) -> bytes:
        return b""


def test_a_firmware_that_does_not_read_is_not_run_without_end() -> None:
    pipe = _Hoarder()
    chip = Chip(World(PROFILE, noise_ut=0), pipe)
    pipe.give(b"\0")
    chip.run_until(1_000_000)
    assert chip.frames < 2_000


def test_the_watchdog_is_fed() -> None:
    _, _, chip = powered()
    chip.run_until(10_000_000)
    assert chip.now_us - chip.fed_us <= 2_000_000
