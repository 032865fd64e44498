"""Care for a board that the service gives it by itself: the program that this version brings.

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
    """The number of the program that this version brings."""
    return flash.firmware_number()


def program() -> dict[str, bytes]:
    """The files of the board's program; BoardError where they are neither here nor made."""
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
    """Write the files of the program, for a package."""
    from lumiban.maker.program import named_program

    files, _ = named_program()
    encoded = {name: base64.b64encode(data).decode() for name, data in sorted(files.items())}
    out.write_text(json.dumps(encoded) + "\n", "utf-8")


def update_board(port: str, progress: Callable[[int], None]) -> int:
    """Give the board at a port this version's program and wait until it keeps it; the number that
    it runs then. BoardError says why not; the board then runs the program it had.

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
