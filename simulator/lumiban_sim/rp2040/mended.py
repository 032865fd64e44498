"""Faults of rp2040py 0.3.6 that would make its time worthless, and how each is worked around."""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

STEP_NS, IDLE_NS = 40, 1000
"""How far time may jump at once while a PIO machine has work, and while none has."""


def quiet_usb(device: Any) -> None:
    """Let the host send nothing when it has nothing to send.

    The emulated host answers each of the chip's receive buffers with an empty packet at once, an
    interrupt every 10 µs. Here the buffer stays armed until bytes are there.
    """
    cdc, usb, clock = device.cdc, device.mcu.usb_ctrl, device.simulator.clock
    read, send, reset = usb.on_endpoint_read, cdc.send_serial_byte, usb.on_reset
    waiting: list[int] = []
    due: list[bool] = []

    def on_read(endpoint: int, size: int) -> None:
        if endpoint == cdc._out_endpoint and cdc.tx_fifo.empty:
            waiting[:] = [size]
        else:
            read(endpoint, size)

    def deliver() -> None:
        due.clear()
        if waiting:
            on_read(cdc._out_endpoint, waiting.pop())

    alarm = clock.create_alarm(deliver)

    def on_send(byte: int) -> None:
        send(byte)
        if waiting and not due:
            due.append(True)
            alarm.schedule(1000)  # a µs, in which the rest of a packet comes

    def on_reset() -> None:
        waiting.clear()
        due.clear()
        if reset:
            reset()

    usb.on_endpoint_read, cdc.send_serial_byte, usb.on_reset = on_read, on_send, on_reset


def random_bits(chip: Any, seed: int = 1) -> None:
    """Give the ring oscillator's register of chance its bits, of which boot ids are made: it reads
    as nothing but ones."""
    dice = Random(seed)
    oscillator = chip.peripherals[0x40060]
    read = oscillator.read_uint32

    def bit(offset: int) -> int:
        return dice.getrandbits(1) if offset == 0x1C else int(read(offset))

    oscillator.read_uint32 = bit


class Paced:
    """Keep a PIO's time while the CPU sleeps: it would jump to the next alarm and lose edges."""

    def __init__(self, clock: Any, pios: list[Any]) -> None:
        self._pios = pios
        self._alarm = clock.create_alarm(self._look)
        self._alarm.schedule(IDLE_NS)

    def _look(self) -> None:
        busy = any(m.enabled and not m.waiting for pio in self._pios for m in pio.machines)
        self._alarm.schedule(STEP_NS if busy else IDLE_NS)


def timed_adc(adc: Any, convert: Callable[[int], int]) -> None:
    """Give conversions their value at their start, and their time as silicon has it.

    `convert` is called with the input when a conversion starts. The emulator's own pause between
    two conversions adds the divider to whole ones; this keeps the grid of the divider's period.
    """
    clock = adc.rp2040.clock
    held: list[int] = []
    alarm = clock.create_alarm(lambda: adc.complete_adc_read(held.pop(0), False))

    def on_read(channel: int) -> None:
        held.append(convert(channel))
        alarm.schedule(2000)

    adc.on_adc_read = on_read


class OnGrid:
    """Keep a PIO machine that never stalls on its own grid: the emulator lets it slip by a cycle
    now and then, 11 µs a second, where silicon divides one clock. Call it often; the grid is
    so many of the machine's own cycles."""

    def __init__(self, pio: Any, machine: Any, cycles: int) -> None:
        self._pio, self._machine = pio, machine
        self._cycles = cycles
        self._first: int | None = None

    def __call__(self) -> None:
        """Let it happen."""
        machine = self._machine
        if not machine.enabled:
            self._first = None
            return
        if self._first is None:
            self._first = machine.next_due_fp
        period = self._cycles * machine.div_fp
        late = (machine.next_due_fp - self._first) % period
        if 0 < late < period // 2:
            machine.next_due_fp -= late
            self._pio.notify_due(machine.next_due_fp)
