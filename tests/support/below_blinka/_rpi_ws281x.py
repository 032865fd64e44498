"""The C module below Blinka's NeoPixels on a Pi, as far as Blinka calls it.

A picture goes into the folder of `fake_pi.c`, as the chain would show it: bytes in the order in
which they leave, g, r, b of each light. The real one needs a Pi's memory.
"""

from __future__ import annotations

import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

WS2811_SUCCESS = 0
WS2811_STRIP_RGB, SK6812_STRIP_RGBW = 0x100800, 0x18100800
SPI_PIN = 10


def new_ws2811_t() -> Any:
    return SimpleNamespace(channels=(SimpleNamespace(leds={}), SimpleNamespace(leds={})))


def delete_ws2811_t(strip: Any) -> None:
    strip.channels = ()


def ws2811_channel_get(strip: Any, number: int) -> Any:
    return strip.channels[number]


def ws2811_init(strip: Any) -> int:
    assert [one.gpionum for one in strip.channels if one.count] == [SPI_PIN]
    return WS2811_SUCCESS


def ws2811_fini(strip: Any) -> None:
    """Nothing to give back."""


def ws2811_led_set(channel: Any, light: int, colour: int) -> int:
    channel.leds[light] = colour
    return WS2811_SUCCESS


def ws2811_render(strip: Any) -> int:
    (channel,) = (one for one in strip.channels if one.count)
    lines = []
    for light in range(channel.count):
        green, red, blue = channel.leds.get(light, 0).to_bytes(3, "big")
        lines.append(f"{red} {green} {blue}\n")
    new = Path(os.environ["FAKE_PI"], "lights.new")
    new.write_text("".join(lines))
    new.replace(new.with_suffix(""))
    return WS2811_SUCCESS


def ws2811_get_return_t_str(code: int) -> str:
    return f"code {code}"


for _name in ("count", "gpionum", "invert", "brightness", "strip_type"):
    globals()[f"ws2811_channel_t_{_name}_set"] = lambda one, value, name=_name: setattr(
        one, name, value
    )
    globals()[f"ws2811_channel_t_{_name}_get"] = lambda one, name=_name: getattr(one, name)
for _name in ("freq", "dmanum"):
    globals()[f"ws2811_t_{_name}_set"] = lambda one, value, name=_name: setattr(one, name, value)
