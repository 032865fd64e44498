"""Messages about light: LAYER, PALETTE, MASK, ANIM (docs/wire.md). Import these from `wire`."""

import struct

from lumiban_fw.framing import take

_ANIM = "<BBBBIHHB"


def pack_layer(layer: int, first: int, lights: "list[tuple[int, int]]") -> bytes:
    """LAYER: (palette index, effect) of up to 26 lights from `first` on."""
    out = bytearray((layer, first))
    for palette, effect in lights:
        out.append(palette)
        out.append(effect)
    return bytes(out)


def unpack_layer(payload: bytes) -> "tuple[int, int, list[tuple[int, int]]]":
    """(layer, first, [(palette index, effect)])."""
    layer, first = take("<BB", payload)
    return layer, first, [(payload[i], payload[i + 1]) for i in range(2, len(payload) - 1, 2)]


def pack_mask(layer: int, palette: int, effect: int, lights: "list[int]") -> bytes:
    """MASK: one palette index and effect for the lights in the list; others stay as they are."""
    bits = bytearray(max(lights) // 8 + 1 if lights else 0)
    for i in lights:
        bits[i >> 3] |= 1 << (i & 7)
    return bytes((layer, palette, effect)) + bytes(bits)


def unpack_mask(payload: bytes) -> "tuple[int, int, int, list[int]]":
    """(layer, palette index, effect, lights)."""
    layer, palette, effect = take("<BBB", payload)
    lights = [
        (i - 3) * 8 + bit
        for i in range(3, len(payload))
        for bit in range(8)
        if payload[i] >> bit & 1
    ]
    return layer, palette, effect, lights


def pack_palette(first: int, colours: "list[tuple[int, int, int]]") -> bytes:
    """PALETTE: up to 18 colours (r, g, b) from index `first` on."""
    out = bytearray((first,))
    for colour in colours:
        out.extend(bytes(colour))
    return bytes(out)


def unpack_palette(payload: bytes) -> "tuple[int, list[tuple[int, int, int]]]":
    """(first, [(r, g, b)])."""
    first = take("<B", payload)[0]
    return first, [
        (payload[i], payload[i + 1], payload[i + 2]) for i in range(1, len(payload) - 2, 3)
    ]


def pack_anim(
    slot: int,
    layer: int,
    palette: int,
    effect: int,
    start_us: int,
    period_ms: int,
    count: int,
    step: int,
    lights: "list[int]",
) -> bytes:
    """ANIM: an effect with a beginning and an end of its own.

    It runs `count` periods (0: until stopped) of `period_ms` (0: the effect's own) from board time
    `start_us` (0: now); each light of the list begins `step` times 10 ms after the one before it.
    """
    bits = bytearray(max(lights) // 8 + 1 if lights else 0)
    for i in lights:
        bits[i >> 3] |= 1 << (i & 7)
    start = start_us & 0xFFFFFFFF
    head = struct.pack(_ANIM, slot, layer, palette, effect, start, period_ms, count, step)
    return head + bytes(bits)


def unpack_anim(payload: bytes) -> "tuple[int, int, int, int, int, int, int, int, bytes]":
    """(slot, layer, palette, effect, start_us, period_ms, count, step, bits of the lights)."""
    slot, layer, palette, effect, start, period, count, step = take(_ANIM, payload)
    bits = bytes(payload[struct.calcsize(_ANIM) :])
    return slot, layer, palette, effect, start, period, count, step, bits


def unpack_u8(payload: bytes) -> int:
    """The first byte: the slot of ANIM_STOP."""
    return take("<B", payload)[0]
