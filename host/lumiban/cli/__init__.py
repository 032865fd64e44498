"""The `lumiban` command: what each word means, and where it stands; loaded when it is called.

Commands only read their words, call a room and print.

Errors are one line on stderr. Exit codes: 0 done, 1 a check failed, 2 not understood, 3 board.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from lumiban import __version__
from lumiban.errors import LumibanError, UsageError
from lumiban.invocation import Command, announce, start_word

if TYPE_CHECKING:
    from types import TracebackType

    from cyclopts import App

GROUP = "lumiban.commands"
"""Entry point group by which packages, and rooms of ours, bring commands: `weigh`, or
`games.weigh` for one of a group."""


def _own(place: str, line: str, **inner: tuple[str, str]) -> Command:
    """A command of this room: `module:name` in it."""
    there = f"{__name__}.{place}" if place else ""
    return Command(there, line, {name: _own(*of) for name, of in inner.items()})


FIRST: dict[str, Command] = {
    "demo": _own("play:demo_command", "Watch two bots in the browser, and take a seat."),
    "play": _own("play:play_command", "Play a game on a board, or on the simulator."),
    "games": _own(
        "games:games_command",
        "List the games; rules, pictures, checks.",
        rules=("games:rules_command", "Print the rules of a game."),
        picture=("games:picture_command", "Draw a position of a game as an SVG file."),
        share=("games:share_command", "Write a game of your own to a file for other tables."),
        warm=("games:warm_command", "Compile the bots of all games in advance."),
    ),
    "records": _own("records:app", "Find, name, rate and export finished games."),
    "new-game": _own("games:new_game_command", "Write a starter file for a game of your own."),
    "serve": _own("serve:serve_command", "Keep tables running: the service of a Pi."),
    "board": _own(
        "",
        "Set up and test a board: doctor, flash, selftest, …",
        doctor=(
            "board:doctor_command",
            "Check this machine: what a board needs, and the commands that fix it.",
        ),
        flash=(
            "flash:flash_command",
            "Install the firmware: on a new Pico, or on a running board.",
        ),
        firstlight=(
            "board:firstlight_command",
            "Guide a new board's first power: name the joint that is wrong.",
        ),
        selftest=(
            "board:selftest_command",
            "Test the board by itself: sensors, references, supply, answers, lights.",
        ),
        calibrate=(
            "board:calibrate_command",
            "Calibrate the board's sensors, guided by its own lights.",
        ),
        dead=("board:dead_command", "Play cells that do not answer any more on the page."),
        link=("board:link_command", "Show the statistics of a running table's board link."),
        gpio=("play:gpio_command", "Drive a board on this Pi's own header."),
    ),
    "sim": _own("play:sim_command", "Run a simulated board on a serial port."),
}
"""The commands of `lumiban --help`, in its order."""

BEHIND: dict[str, Command] = {
    "replay": _own("flight:replay_command", "Replay and check a finished game."),
    "analyse": _own(
        "analyse:analyse_command", "Show the best moves of a position, and what each does."
    ),
    "flight": _own("flight:app", "List, show and export recordings of tables."),
    "status": _own("serve:status_command", "Show what the service does."),
    "logs": _own("serve:logs_command", "Print the service's logs."),
    "stop": _own("serve:stop_command", "End the service."),
    "backup": _own("serve:backup_command", "Write all that the table keeps into one file."),
    "restore": _own("serve:restore_command", "Put games and looks back from a backup."),
}
"""Our other commands, which `lumiban more` lists with those of other rooms and packages."""
MORE = "more"
ELSEWHERE = {
    "hardware": "cli.hardware.needs-package",
    "bench": "cli.bench.needs-checkout",
    "lab": "cli.bench.needs-checkout",
}
"""Commands of ours that not every installation has, with the sentence that says where they are."""


@cache
def commands() -> dict[str, Command]:
    """All commands by name: those of this room, then those that others bring. A package whose
    command cannot be loaded stops no other one."""
    from lumiban.system.entry_points import offered

    found = {**FIRST, **BEHIND}
    for name, point in offered(GROUP).items():
        with suppress(ImportError, AttributeError):
            command = point.load()
            group, dot, inner = name.partition(".")
            if not dot:
                found.setdefault(name, command)
            elif group in found:
                found[group] = found[group]._replace(inner={**found[group].inner, inner: command})
    return found


INTERRUPTED = 130


def main() -> NoReturn:
    """Run the command line and end the process with its exit code."""
    _open_closed()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal of few letters shows `?` for others
    sys.excepthook = _last_word
    announce(sys.argv[0])
    if sys.platform == "win32":
        from lumiban.i18n import terminal_language, text

        sys.exit(complain(LumibanError(text("cli.windows", terminal_language()))))
    words = sys.argv[1:]
    if any(word.lower().endswith((".py", ".lumiban")) for word in words):
        from lumiban.cli.watched import watch

        watch(words)
    try:
        code = run(words)
    except KeyboardInterrupt:  # so early that `run` was still loading what it needs
        code = _interrupted()
    sys.exit(code)


def _open_closed() -> None:
    """Let input and output that were closed (`>&-`) be nobody's: what is opened next would else
    take their numbers, and be written on."""
    number = 0
    while number <= 2:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    if sys.stdout is None or sys.stderr is None:
        nobody = io.TextIOWrapper(io.FileIO(os.open(os.devnull, os.O_WRONLY), "w"))
        sys.stdout, sys.stderr = sys.stdout or nobody, sys.stderr or nobody


def run(argv: Sequence[str]) -> int:
    """Do what a command line says, and return its exit code."""
    if list(argv) in (["--version"], ["-V"]):
        print(f"lumiban {__version__}")
        return 0
    if len(argv) > 1 and argv[0] == "study" and argv[1].endswith(".toml"):
        argv = ["study", "run", *argv[1:]]
    if list(argv) == [MORE]:
        return _tell_more()
    if argv and not argv[0].startswith("-") and argv[0] not in commands():
        return complain(UsageError(_unknown(argv[0])))
    from cyclopts import CycloptsError

    try:
        result: object = _app(*argv[:2])(
            argv,
            exit_on_error=False,
            print_error=False,
            verbose=False,
            result_action="return_value",
        )
        sys.stdout.flush()
    except LumibanError as error:
        return complain(error)
    except CycloptsError as error:
        from lumiban.cli.usage_errors import usage

        return complain(UsageError(usage(error)))
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        return _unheard()
    return result if isinstance(result, int) else 0


def _unheard() -> int:
    """The reader of our output has gone (| head): end well, and keep Python from complaining."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _interrupted() -> int:
    """End the line after the terminal's ^C; the exit code of who was interrupted."""
    print(file=sys.stderr)
    return INTERRUPTED


def complain(error: LumibanError) -> int:
    """Say what went wrong in one line; returns the exit code that belongs to it."""
    if os.environ.get("LUMIBAN_DEBUG"):
        import traceback

        traceback.print_exception(error)
    line = " ".join(str(error).split())
    print(f"lumiban: {line}", file=sys.stderr)
    return error.exit_code


def _unknown(word: str) -> str:
    """The sentence about a first word that is no command here."""
    from lumiban.cli.usage_errors import unknown
    from lumiban.i18n import terminal_language, text

    if word in ELSEWHERE:
        return text(ELSEWHERE[word], terminal_language())
    return unknown(word, list(commands()), {name: one.inner for name, one in commands().items()})


def _tell_more() -> int:
    """List the commands that `--help` does not."""
    others = {name: one for name, one in commands().items() if name not in FIRST}
    for name, one in others.items():
        print(f"{name:<{max(map(len, others))}}  {one.line}")
    print(f"\n{start_word()} COMMAND --help shows more.")
    return 0


def _app(word: str = "", inner: str = "") -> App:
    """All commands, by name and line; the one called `word` (or `word inner`) with all it says."""
    from cyclopts import App, Parameter

    from lumiban.cli.usage_errors import default

    app = App(
        name=start_word(),
        default_parameter=Parameter(show_default=default),
        help="A table for abstract games on a lit board that senses its pieces.",
        help_epilogue=_more(start_word()),
        version=f"lumiban {__version__}",
        version_flags=("--version", "-V"),
        help_format="plaintext",
        suppress_keyboard_interrupt=False,
    )
    named = commands().get(word)
    shown = FIRST if named is None else {**FIRST, word: named}
    for number, (name, command) in enumerate(shown.items()):
        if name == word and command.inner:
            app.command(_group(name, command, inner))
        elif name == word:
            _add(app, name, command.place)
        elif command.place:
            app.command(command.place, name=name, help=command.line, sort_key=number)
        else:
            app.command(App(name=name, help=command.line, sort_key=number))
    return app


def _more(start: str) -> str:
    """Text below the list of commands."""
    more = f"{start} {MORE} lists the other commands; {start} COMMAND --help shows more."
    more += f" Start with: {start} demo"
    return more if start == "lumiban" else f"{more}\nFor contributors: {start} test, lint, docs."


def _group(name: str, command: Command, inner: str) -> App:
    """A command of commands; the one called `inner` with all that it says about itself."""
    from cyclopts import App

    from lumiban.arguments import prose

    if command.place:
        function = _loaded(command.place)
        app = App(name=name, help=prose(function))
        app.default(function)
    else:
        more = f"{start_word()} {name} COMMAND --help shows more."
        app = App(name=name, help=command.line, help_epilogue=more)
    for number, (own, one) in enumerate(command.inner.items()):
        if own == inner:
            _add(app, own, one.place)
        else:
            app.command(one.place, name=own, help=one.line, sort_key=number)
    return app


def _add(app: App, name: str, place: str) -> None:
    """Load a command, which then says all about itself."""
    from cyclopts import App

    from lumiban.arguments import prose

    command = _loaded(place)
    if isinstance(command, App):
        app.command(command, name=name)
    else:
        app.command(command, name=name, help=prose(command), help_epilogue="")


def _loaded(place: str) -> Any:
    """The function, or the `app`, that is a command."""
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


DISK_TROUBLE = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES)


def _trouble_of_machine(error: BaseException) -> str:
    """The machine's trouble behind an error that nobody expected, with its way out; "" for none."""
    # A thread's stack is memory too; Python says so with no kind of its own.
    threadless = isinstance(error, RuntimeError) and "start new thread" in str(error)
    starved = isinstance(error, OSError) and error.errno == errno.ENOMEM
    if isinstance(error, MemoryError) or threadless or starved:
        return "there is not enough memory: close other programs, or allow more (ulimit -v)"
    if not isinstance(error, OSError):
        return ""
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return "too many files are open: allow more (ulimit -n 256), or close other programs"
    if error.errno in DISK_TROUBLE:
        where = f"{error.filename}: " if error.filename else "a file cannot be written: "
        return f"{where}{error.strerror}: see to the disk, and to who may write there"
    return ""


MAX_FAULTS = 5
"""Reports of faults that are kept."""


def _keep_newest(place: str) -> None:
    """Remove older reports beside this one; those of others cannot be removed."""
    there = Path(place).parent.glob("lumiban-fault-*")
    with suppress(OSError):
        for old in sorted(there, key=lambda one: one.lstat().st_mtime_ns)[:-MAX_FAULTS]:
            old.unlink()


def _last_word(
    kind: type[BaseException], error: BaseException, trace: TracebackType | None
) -> None:
    """A fault of ours: one line for the user, the traceback into a file beside the log."""
    import tempfile
    import traceback

    trouble = _trouble_of_machine(error)
    if trouble:
        print(f"lumiban: {trouble}, then start again; nothing is lost", file=sys.stderr)
        return
    details = "".join(traceback.format_exception(kind, error, trace))
    try:
        # A name that nobody knew before: a link laid in wait there would lead elsewhere.
        file, place = tempfile.mkstemp(prefix="lumiban-fault-", suffix=".txt")
        with os.fdopen(file, "w", encoding="utf-8", errors="backslashreplace") as out:
            out.write(details)
        _keep_newest(place)
    except OSError:
        last = " ".join(details.splitlines()[-1:])
        place = f'this: "{last}" (no file could be written)'
    print(
        f"lumiban: a fault of lumiban itself ({kind.__name__}); please report it with {place}",
        file=sys.stderr,
    )
