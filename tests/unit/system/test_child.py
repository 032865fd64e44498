"""A child process: what it tells is heard, what hangs is ended, nothing is left of it."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue
from typing import Any

import pytest
from lumiban.system import processes
from lumiban.system.child import MAX_LINE_BYTES, Child, Restarts

pytestmark = pytest.mark.process
ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"
FOREVER = "import signal; print(1, flush=True); signal.pause()"
STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN);" + FOREVER


def begun(code: str, **how: Any) -> tuple[Child[Any], SimpleQueue[Any]]:
    said: SimpleQueue[Any] = SimpleQueue()
    return Child([sys.executable, "-c", code], on_message=said.put, **how), said


def line(message: object) -> bytes:
    return json.dumps(message).encode()


def all_of(said: SimpleQueue[Any]) -> list[Any]:
    return [said.get() for _ in range(said.qsize())]


def test_lines_go_both_ways_and_its_output_ends_once() -> None:
    child, said = begun(ECHO)
    assert child.send(line({"n": 1}))
    assert child.send(line([2, "二"]))
    assert [said.get(), said.get()] == [{"n": 1}, [2, "二"]]
    assert child.end(60.0) == 0
    assert all_of(said) == [None]


def test_what_it_told_last_is_heard_before_its_end_is_known() -> None:
    child, said = begun("print('\\n'.join(map(str, range(5000))))")
    assert child.wait() == 0
    assert all_of(said) == [*range(5000), None]


def test_a_line_longer_than_any_of_ours_or_no_json_is_passed_over() -> None:
    code = (
        f"print(1); print('[' * {MAX_LINE_BYTES + 5}); print('no'); print('2'); print('3', end='')"
    )
    child, said = begun(code)
    child.wait()
    assert all_of(said) == [1, 2, None], "the last is half a line: it was cut off"


def test_a_line_that_no_pipe_takes_at_once_arrives_whole() -> None:
    child, said = begun(ECHO)
    long = "x" * 300_000
    assert child.send(line(long))
    assert said.get() == long
    child.end(60.0)


def test_one_that_does_not_read_keeps_nobody_waiting_and_one_that_ended_hears_nothing() -> None:
    child, said = begun(FOREVER)
    said.get()
    words = {"text": "y" * 3000}
    assert sum(child.send(line(words)) for _ in range(200)) < 200
    child.end()
    assert not child.send(line(words))
    child, said = begun(
        "import os; os.close(0); print(1, flush=True); import signal; signal.pause()"
    )
    said.get()
    assert not child.send(line(words))
    child.end()


@pytest.mark.parametrize("how", [Child.end, lambda child: child.end(0.1)])
def test_one_that_hangs_is_killed(how: Callable[[Child[Any]], int]) -> None:
    child, said = begun(STUBBORN)
    said.get()
    child.terminate()
    assert how(child) == -signal.SIGKILL
    assert not processes.runs(child.pid)


def test_one_that_was_stopped_goes_on_and_ends_by_itself() -> None:
    child, said = begun(ECHO)
    child.send(line(1))
    said.get()
    os.kill(child.pid, signal.SIGSTOP)
    assert child.end(60.0) == 0


def test_a_killed_one_ends_its_output() -> None:
    child, said = begun(FOREVER)
    said.get()
    child.kill()
    assert said.get() is None
    assert child.wait() == -signal.SIGKILL


def test_one_that_no_memory_is_left_to_hear_is_killed_and_its_output_ended() -> None:
    def read(line: bytes) -> str:
        raise MemoryError

    child, said = begun("print(1, flush=True); input()", read=read)
    assert child.wait() == -signal.SIGKILL
    assert all_of(said) == [None]


def test_what_one_that_stands_apart_has_started_is_killed_with_it() -> None:
    open_while_one_lives, given = os.pipe()
    starts = "import os, signal; os.fork() and print(1, flush=True); signal.pause()"
    child, said = begun(starts, apart=True, pass_fds=[given])
    os.close(given)
    assert said.get() == 1
    child.kill()
    assert os.read(open_while_one_lives, 1) == b""
    os.close(open_while_one_lives)
    child.wait()


def test_the_first_that_it_tells_is_waited_for() -> None:
    child, _ = begun("print('{\"port\": 7}')")
    assert child.first(60.0) == {"port": 7}
    child.wait()


def test_one_that_ends_or_hangs_before_it_tells_anything_is_given_up() -> None:
    child, _ = begun("")
    assert child.first(60.0) is None
    child, _ = begun("import signal; signal.pause()")
    assert child.first(0.1) is None
    assert not processes.runs(child.pid)


def test_silence_counts_in_looks_since_its_last_word() -> None:
    child, said = begun(ECHO)
    for _ in range(2):  # a word begins it anew
        child.send(line(1))
        said.get()
        assert [child.is_hung(3) for _ in range(4)] == [False, False, False, True]
    child.end()


def test_errors_are_kept_and_nothing_of_ours_is_inherited(tmp_path: Path) -> None:
    log = tmp_path / "errors"
    log.write_text("before\n")
    with Path(__file__).open() as file:
        os.set_inheritable(file.fileno(), True)
        code = f"import os, sys\nsys.stderr.write('broken')\nos.fstat({file.fileno()})"
        child, _ = begun(code, errors=log)
        assert child.wait() == 1
    assert log.read_text().startswith("before\nbroken")


def test_a_program_that_is_not_there_is_told() -> None:
    with pytest.raises(OSError, match="no-such"):
        Child(["/no-such-program"])


def test_pauses_grow_to_their_limit_and_begin_anew_after_a_sound_life() -> None:
    restarts = Restarts(0.2, 1.0, sound_s=60.0)
    assert [restarts.pause_s(59.0) for _ in range(5)] == [0.2, 0.4, 0.8, 1.0, 1.0]
    assert restarts.pause_s(60.0) == 0.2
    assert restarts.count == 6


def test_too_many_in_a_row_that_ended_early_are_over_and_a_sound_life_begins_the_count_anew() -> (
    None
):
    restarts = Restarts(0.0, 0.0, sound_s=60.0, most=2)
    lives_s = (1.0, 1.0, 60.0, 1.0, 1.0, 1.0)
    over = [(restarts.pause_s(lived_s), restarts.is_over)[1] for lived_s in lives_s]
    assert over == [False, False, False, False, False, True]
    endless = Restarts(0.5, 2.0)
    assert not any((endless.pause_s(), endless.is_over)[1] for _ in range(50))


def test_one_that_is_slow_to_die_keeps_nobody_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process whose disk or core is busy: its end comes later."""
    child, said = begun(FOREVER)
    said.get()
    dies = threading.Event()
    real = child._process.wait

    def wait(timeout: float | None = None) -> int:
        dies.wait()
        return real(timeout)

    monkeypatch.setattr(child._process, "wait", wait)
    child.kill_later()
    child.kill_later(0.01)
    dies.set()
    assert child.wait() == -signal.SIGKILL
