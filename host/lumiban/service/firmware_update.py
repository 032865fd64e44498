"""Firmware update of a board by the service, to the program of this version.

The package holds the program compiled (`firmware/program.json`); in a checkout it is compiled when
it is needed.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path

from lumiban.boards.ports import localized
from lumiban.errors import BoardError
from lumiban.invocation import adding
from lumiban.maker import flash
from lumiban.system import size_limits

COMPILED = Path(__file__).parent / "program.json"
"""The files of the board's program, base64, where a package was built with them."""


def own_firmware() -> int:
    """Firmware number of this version."""
    return flash.firmware_number()


def program() -> dict[str, bytes]:
    """Files of the board's program; BoardError where they are neither packaged nor can be
    compiled."""
    from lumiban.maker.program import BadSource, NoCompiler, named_program

    try:
        encoded = size_limits.from_json(size_limits.read(COMPILED))
        return {name: base64.b64decode(data) for name, data in encoded.items()}
    except FileNotFoundError:
        pass
    try:
        return named_program()[0]
    except NoCompiler:
        raise BoardError(localized("flash.no-compiler", command=adding("flash"))) from None
    except BadSource as error:
        raise BoardError(localized("flash.refused", reason=error)) from None


def compile_program(out: Path) -> None:
    """Compile the files of the program, for a package."""
    from lumiban.maker.program import named_program

    files, _ = named_program()
    encoded = {name: base64.b64encode(data).decode() for name, data in sorted(files.items())}
    out.write_text(json.dumps(encoded) + "\n", "utf-8")


def update_board(port: str, progress: Callable[[int], None]) -> int:
    """Install this version's program on the board at a port and wait until it is kept; returns the
    firmware number that then runs. BoardError says why not; the board then runs its old program.

    The power may go at any moment: the board writes into its free half and starts what is whole.
    """
    from lumiban.boards.client import STORING_US, BoardClient
    from lumiban.boards.port_line import PortLine

    line = PortLine(port)
    try:
        client = BoardClient(None, line, port=port, silence_us=STORING_US)
        client.greet()
        profile = client.fit()

        def show(name: str, done: int, of: int) -> None:
            progress(100 * done // max(of, 1))

        hello = flash.update(client, profile, program(), show)
        flash.verify(hello, profile)
        return hello.firmware
    finally:
        line.close()
