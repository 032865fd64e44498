"""The Pico as an oscilloscope of its own board, for `lumiban board firstlight`.

Sent whole to MicroPython's prompt, so it imports nothing of the firmware and is no part of the
program. Each function prints its result on one line. For the RP2040 on the pins of the default
base board (`Scope` in host/lumiban/maker/firstlight.py says what each measures).
"""

import time
from array import array

import machine
import micropython
import rp2
from machine import Pin

LOOKS, SWEEPS, SWEEP_US = 256, 320, 128
OFF_MS = 700
"""Strips that are switched off are without supply after 0.6 s at most."""
POINTS, TURNS = 80, 4
"""Of a settling curve; TURNS turns of three cycles are STEP_NS."""
_XOR = 0xD000001C
_ADC, _ADC_SET = 0x4004C000, 0x4004E000
_PAD_26 = 0x4001C06C

_adc = machine.ADC(26)
_rail = machine.ADC(27)
_address = [Pin(2 + k, Pin.OUT, value=0) for k in range(8)]
_good = Pin(17, Pin.IN, Pin.PULL_UP)
_power = Pin(18, Pin.OUT, value=0)
_dark = Pin(15, Pin.OUT, value=1)
_back = Pin(16, Pin.IN)


@micropython.viper
def _place(row: int, channel: int):
    ptr32(0xD000001C)[0] = (ptr32(0xD0000010)[0] ^ ((row << 4 | channel) << 2)) & 0x3FC


@micropython.viper
def _convert() -> int:
    adc = ptr32(0x4004C000)
    adc[0] = 5
    while not adc[0] & 0x100:
        pass
    return adc[1] & 0xFFF


@micropython.viper
def _convert_rail() -> int:
    adc = ptr32(0x4004C000)
    adc[0] = 0x1005
    while not adc[0] & 0x100:
        pass
    return adc[1] & 0xFFF


@micropython.asm_thumb
def _switch(r0, r1, r2, r3):
    # Turn the address by the mask r0, wait r1 turns, start a conversion: r2 and r3 are registers.
    mov(r4, 4)
    str(r0, [r2, 0])
    label(AGAIN)
    sub(r1, r1, 1)
    bne(AGAIN)
    str(r4, [r3, 0])


def _pull(way):
    pad = machine.mem32[_PAD_26] & ~0xCC
    machine.mem32[_PAD_26] = pad | (8 if way > 0 else 4 if way < 0 else 0)


def supply():
    """Print the rail in mV and what the supervisor says."""
    total = sum([_convert_rail() for _ in range(64)])
    print(total * 6600 // (64 * 4096), _good.value())


def power(on):
    """Switch the strips on or off, and wait."""
    _dark.value(1)
    _power.value(on)
    time.sleep_ms(OFF_MS)  # until no strip is half supplied
    print(on)


def look(row, channel, way):
    """Print the sum and the sum of squares of LOOKS readings."""
    _pull(way)
    _place(row, channel)
    time.sleep_us(200 if way else 20)  # a pull-resistor moves the line slower than a sensor
    total = squares = 0
    for _ in range(LOOKS):
        count = _convert()
        total += count
        squares += count * count
    _pull(0)
    print(total, squares)


def settle(row, channel, before_row, before):
    """Print readings at ever later times after the address changed."""
    mask = ((row ^ before_row) << 4 | (channel ^ before)) << 2
    out = []
    _pull(-1)
    for n in range(POINTS):
        total = 0
        for _ in range(8):
            _place(before_row, before)
            time.sleep_us(60)  # the channel before is settled; from it the step begins
            state = machine.disable_irq()
            _switch(mask, 1 + TURNS * n, _XOR, _ADC_SET)
            machine.enable_irq(state)
            while not machine.mem32[_ADC] & 0x100:
                pass
            total += machine.mem32[_ADC + 4] & 0xFFF
        out.append(total // 8)
    _pull(0)
    print(*out)


def ramp(rows):
    """Switch the strips on; print whether the supply tripped, then each sweep."""
    _power.value(0)
    time.sleep_ms(OFF_MS)  # until no strip is half supplied
    counts = array("H", bytes(2 * SWEEPS * (rows + 1)))
    times = array("I", bytes(4 * SWEEPS))
    tripped = 0
    begin = time.ticks_us()
    _power.value(1)
    at = 0
    for n in range(SWEEPS):
        while time.ticks_diff(time.ticks_us(), begin) < n * SWEEP_US:
            pass
        times[n] = time.ticks_diff(time.ticks_us(), begin)
        counts[at] = _convert_rail()
        for row in range(rows):
            _place(row, 15)
            counts[at + 1 + row] = _convert()
        at += rows + 1
        tripped |= 1 - _good.value()
    print(tripped)
    for n in range(SWEEPS):
        print(times[n], *counts[n * (rows + 1) : (n + 1) * (rows + 1)])


@rp2.asm_pio(sideset_init=rp2.PIO.OUT_LOW, out_shiftdir=rp2.PIO.SHIFT_LEFT, autopull=True,
             pull_thresh=24)  # fmt: skip
def _ws2812():
    wrap_target()
    label("bit")
    out(x, 1).side(0)[2]
    jmp(not_x, "zero").side(1)[1]
    jmp("bit").side(1)[4]
    label("zero")
    nop().side(0)[4]
    wrap()


@rp2.asm_pio()
def _edges():
    mov(x, invert(null))
    label("again")
    wait(0, pin, 0)
    wait(1, pin, 0)
    jmp(x_dec, "again")


_chain = rp2.StateMachine(0, _ws2812, freq=8_000_000, sideset_base=Pin(14))
_chain.active(1)
_dark.value(0)


def _send(words):
    for word in words:
        _chain.put(word, 8)
    time.sleep_us(400)  # the strips' chips take over what they hear in a pause


def shine(rgb):
    """Let the lights shine so."""
    _dark.value(0)
    _send([rgb[k + 1] << 16 | rgb[k] << 8 | rgb[k + 2] for k in range(0, len(rgb), 3)])
    print(len(rgb))


def returned(sent):
    """Print how many of the words sent come back at the end of the chain."""
    counter = rp2.StateMachine(4, _edges, in_base=_back)
    counter.active(1)
    _send([0] * sent)
    counter.active(0)
    counter.exec("mov(isr, invert(x))")
    counter.exec("push()")
    edges = counter.get() if counter.rx_fifo() else 0
    print((edges + 12) // 24)
