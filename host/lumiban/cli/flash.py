"""`lumiban board flash`: bring MicroPython, the board's program and its description to a Pico."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from lumiban.arguments import Json
from lumiban.boards.client import STORING_US, BoardClient
from lumiban.boards.port_line import PortLine
from lumiban.boards.ports import AUTO, choose, ports
from lumiban.boards.profile import load, names
from lumiban.cli.board import BoardPort, ProfileWish
from lumiban.errors import BoardError, NotABoard, UsageError
from lumiban.i18n import terminal_language, text
from lumiban.invocation import adding
from lumiban.maker import flash, tried
from lumiban.maker.flash import Prompt
from lumiban.maker.program import BadSource, NoCompiler, Overheard, named_program, names_for
from lumiban.runtime import simulator
from lumiban.system.paths import made, state_folder
from lumiban.system.terminal import Progress, print_json, say

if TYPE_CHECKING:
    from lumiban.boards.profile import Profile
    from lumiban.boards.types import Hello

APPEARS_S = 30.0
"""A chip that was given MicroPython must show its port within this time."""
WAYS = ("drive", "prompt", "update")


@dataclass(frozen=True, slots=True)
class Wish:
    """Request of the command line."""

    profile: str
    uf2: Path | None
    dry: bool
    is_json: bool
    rom: Path | None = None


def flash_command(
    *,
    port: BoardPort = AUTO,
    profile: ProfileWish = "",
    uf2: Annotated[
        Path | None, Parameter(help="A MicroPython image for the Raspberry Pi Pico (.uf2).")
    ] = None,
    drive: Annotated[
        Path | None, Parameter(help="The Pico's drive in BOOTSEL mode; found by default.")
    ] = None,
    rom: Annotated[
        Path | None,
        Parameter(
            help="For a MicroPython with ROMFS: write the program's modules into this folder, for "
            "'mpremote romfs deploy'; they run in flash and leave the board's memory free."
        ),
    ] = None,
    dry_run: Annotated[
        bool,
        Parameter(negative="", show_default=False, help="Only show what would be done."),
    ] = False,
    json: Json = False,
) -> int:
    """Install the firmware: on a Pico in BOOTSEL mode, one with MicroPython, or a running board.

    For example: {lumiban} board flash --profile hex5 --uf2 RPI_PICO.uf2

    A new Pico: hold BOOTSEL while plugging it in; its drive is found. lumiban does not ship
    MicroPython: download the image for the Raspberry Pi Pico from the MicroPython project. A board
    already running lumiban gets the new program into its free folder, and returns to the previous
    one if the new one does not start. The calibration stays. If interrupted, run it again.
    """
    wish = Wish(profile, uf2, dry_run, json, rom)
    try:
        return _flash(port, drive, wish)
    except KeyboardInterrupt:
        say("flash.interrupted")
        raise


def _flash(port: str, drive: Path | None, wish: Wish) -> int:
    boot_drive = _drive(port, drive)
    started = None
    steps: list[str] = []
    if boot_drive is not None:
        port = _by_drive(boot_drive, wish, steps)
        if wish.dry:
            return _end(wish, steps, None)
    elif port == "sim":
        if wish.profile:
            _profile(wish)  # what is wrong with it is told here, not in the simulator's log
        started = asyncio.run(simulator.start_next(made(state_folder()), wish.profile or "hex5"))
        port = started.port
    elif port == AUTO:
        port = _chosen()
    try:
        hello = _by_port(port, wish, steps)
    finally:
        if started is not None:
            started.end()
    return _end(wish, steps, hello)


def _drive(port: str, drive: Path | None) -> flash.Drive | None:
    """The drive to use: as given, or the only one there is where no port is named."""
    if drive is not None:
        return flash.checked_drive(drive)
    if port != AUTO:
        return None
    drives = flash.drives()
    if len(drives) > 1:
        paths = ", ".join(str(one.path) for one in drives)
        raise BoardError(_localized("flash.drive.several", paths=paths))
    if drives:
        return flash.checked_drive(drives[0].path)
    device = flash.unmounted()
    return None if device is None else flash.checked_drive(flash.mount(device))


def _chosen() -> str:
    try:
        return choose(AUTO)
    except BoardError as error:
        raise BoardError(_localized("flash.nothing", ports=str(error))) from None


def _by_drive(drive: flash.Drive, wish: Wish, steps: list[str]) -> str:
    """Give the chip MicroPython; the port under which it comes back ("" in a dry run)."""
    if wish.uf2 is None:
        least = ".".join(map(str, flash.MIN_MICROPYTHON))
        words = {"least": least, "tried": tried.versions()}
        raise UsageError(_localized("flash.uf2.wanted", path=drive.path, **words))
    profile = _profile(wish)
    image = flash.image(wish.uf2)
    _step(wish, steps, "flash.do.image", version=image.version, path=drive.path)
    _tell(wish, steps, tried.told(image.version, image.board, profile.name))
    if wish.dry:
        _step(wish, steps, "flash.do.then")
        return ""
    before = {one.path for one in ports()}
    _shown(lambda progress: flash.copy_image(drive, image.data, progress))
    end = time.monotonic() + APPEARS_S
    while time.monotonic() < end:
        time.sleep(0.3)  # the system makes a port for it, of which nothing tells us
        fresh = [one for one in ports() if one.is_likely and one.path not in before]
        if fresh:
            time.sleep(1.0)  # until the system has given it its rights
            return fresh[0].lasting
    raise BoardError(_localized("flash.no-port"))


def _by_port(port: str, wish: Wish, steps: list[str]) -> Hello | None:

    line = PortLine(port)
    heard = Overheard(line)
    try:
        client = BoardClient(None, heard, port=port, silence_us=STORING_US)
        try:
            client.greet()
        except NotABoard:
            return _install(line, port, wish, steps)
        try:
            return _update(client, port, wish, steps)
        except BoardError as error:
            raise _explained(error, heard.traceback) from None
    finally:
        line.close()


def _update(client: BoardClient, port: str, wish: Wish, steps: list[str]) -> Hello | None:

    if wish.rom is not None:
        raise UsageError(_localized("flash.rom.running", port=port))
    hello = client.hello
    if hello.is_in_rescue:
        _step(wish, steps, "flash.found.rescue", port=port)
        profile = _profile(wish)
    else:
        _step(wish, steps, "flash.found.board", port=port, model=hello.model, now=hello.firmware)
        profile = load(wish.profile) if wish.profile else client.fit()
        if profile.model != hello.model:
            _step(wish, steps, "flash.becomes", model=hello.model, profile=profile.name)
    program = _program()
    size = sum(map(len, program.values()))
    number = flash.firmware_number()
    _step(
        wish, steps, "flash.do.update", files=len(program), size=size, firmware=number,
        profile=profile.name, seconds=flash.TimeLeft(size).seconds(0, 0),
    )  # fmt: skip
    if wish.dry:
        return None
    left = flash.TimeLeft(size)
    new_hello: Hello = _shown(
        lambda progress: flash.update(client, profile, program, progress), left
    )
    flash.verify(new_hello, profile)
    return new_hello


def _install(line: PortLine, port: str, wish: Wish, steps: list[str]) -> Hello | None:

    prompt = Prompt(line.lend())
    try:
        version = prompt.version()
        _step(wish, steps, "flash.found.micropython", port=port, version=version)
        flash.check_prompt(version)
        profile = _profile(wish)
        number, _, machine = version.partition(" ")
        _tell(wish, steps, tried.told(number, tried.board_of(machine), profile.name))
        program = _program()
        if wish.rom is not None:
            _step(wish, steps, "flash.do.rom", folder=wish.rom)
            if wish.dry:
                return None
            flash.lay_out(wish.rom, program)
            program = flash.left_beside_rom(prompt, wish.rom, program)
        files = flash.flash_files(profile, program)
        size = sum(map(len, files.values()))
        _step(wish, steps, "flash.do.install", files=len(files), size=size, profile=profile.name)
        if wish.dry:
            return None
        _shown(lambda progress: flash.install(prompt, files, progress))
    finally:
        prompt.close()
    hello = _met_again(line, port)
    flash.verify(hello, profile)
    return hello


def _met_again(line: PortLine, port: str) -> Hello:
    """The board's greeting once it has started: its port goes away and comes back meanwhile."""
    end = time.monotonic() + APPEARS_S
    heard = Overheard(line)
    while True:
        time.sleep(1.0)  # it restarts, and may be asked once a second
        try:
            return BoardClient(None, heard, port=port).greet()
        except BoardError as error:
            if time.monotonic() > end:
                raise _explained(error, heard.traceback) from None


def _explained(error: BoardError, traceback: str) -> BoardError:
    """The error, with where to read what the chip printed; as it is when that was nothing."""
    if not traceback:
        return error
    folder = made(_names_folder())
    names = names_for(traceback, folder)
    path = folder / "traceback.txt"
    try:
        path.write_text((names.readable(traceback) if names else traceback) + "\n", "utf-8")
    except OSError:
        return error
    return BoardError(f"{error} {_localized('flash.traceback', path=path)}")


def _names_folder() -> Path:
    """Folder of the names of each program that was flashed, by the program's digest."""
    return state_folder() / "firmware"


def _program() -> dict[str, bytes]:

    try:
        files, names = named_program()
        with suppress(OSError):  # a full disk keeps no board from its program
            names.keep(_names_folder())
        return files
    except NoCompiler:
        raise UsageError(_localized("flash.no-compiler", command=adding("flash"))) from None
    except BadSource as error:
        raise BoardError(_localized("flash.refused", reason=error)) from None


def _profile(wish: Wish) -> Profile:

    if not wish.profile:
        raise UsageError(_localized("flash.which-profile", names=", ".join(names())))
    profile = load(wish.profile)
    if profile.is_on_header:
        raise UsageError(_localized("flash.on-header", profile=profile.name))
    return profile


def _shown(work: Callable[[flash.Progress], Any], left: flash.TimeLeft | None = None) -> Any:
    """Do something long with a line that tells how far it is, and how long it still takes."""
    line = Progress()
    language = terminal_language()
    began = time.monotonic()

    def show(name: str, done: int, of: int) -> None:
        if not name:
            line.show(text("flash.trial", language))
            return
        params: dict[str, object] = {"name": name, "percent": 100 * done // max(of, 1)}
        if left is not None:
            params["seconds"] = left.seconds(done, round(1e6 * (time.monotonic() - began)))
        line.show(text("flash.progress.left" if left else "flash.progress", language, **params))

    try:
        return work(show)
    finally:
        line.clear()


def _step(wish: Wish, steps: list[str], id: str, **params: object) -> None:
    _tell(wish, steps, _localized(id, **params))


def _tell(wish: Wish, steps: list[str], sentence: str) -> None:
    steps.append(sentence)
    if not wish.is_json:
        print(steps[-1], flush=True)


def _end(wish: Wish, steps: list[str], hello: Hello | None) -> int:
    if wish.is_json:
        board = None
        if hello is not None:
            board = {"model": hello.model, "uid": hello.uid, "firmware": hello.firmware}
        print_json({"dry": wish.dry, "steps": steps, "board": board})
    elif hello is None:
        say("flash.dry")
    else:
        say("flash.done", model=hello.model, uid=hello.uid, firmware=hello.firmware)
    return 0


def _localized(id: str, **params: object) -> str:
    return text(id, terminal_language(), **params)
