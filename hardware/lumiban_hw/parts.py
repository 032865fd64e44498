"""The parts of a kit: package, maker's number, and what each pin is for. Prices: `prices`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Role = Literal["supply", "ground", "in", "out", "passive", "open"]
"""Role of a pin; an `open` one is connected to nothing."""
Mark = Literal["", "legs", "dot", "ring", "cathode", "plus", "key", "usb"]
"""Mark by which a part is put in the right way round; empty: either way will do."""


@dataclass(frozen=True)
class Part:
    """A part that can be ordered."""

    value: str
    land: str
    number: str
    """The maker's part number; of ordinary resistors and capacitors what to look for."""
    pins: Mapping[str, tuple[str, Role]] = field(default_factory=dict)
    """Name and role by pad number; all pads that are not named here are passive."""
    decoupled: bool = False
    """Needs a capacitor of its own beside its supply pin."""
    sheet: str = ""
    """Source of its figures and its worth: *read* in the maker's tables, *quoted* by others from
    them, *unread*: to be read before ordering. Empty: not looked up."""
    mark: Mark = ""
    """A `ring` lies at pad 1, as do a `dot`, a `cathode` and the longer leg (`plus`)."""

    def role(self, pad: str) -> Role:
        """Role of a pad."""
        return self.pins[pad][1] if pad in self.pins else "passive"

    def pad(self, name: str) -> str:
        """The pad of a pin's name; KeyError.

        >>> HALL.pad("OUT")
        '2'
        """
        return next(number for number, (called, _) in self.pins.items() if called == name)


def _pins(words: str) -> dict[str, tuple[str, Role]]:
    """Pins from words such as `1=VCC:supply`."""
    roles: dict[str, Role] = {
        "supply": "supply", "ground": "ground", "in": "in", "out": "out", "passive": "passive",
        "open": "open",
    }  # fmt: skip
    pins = {}
    for word in words.split():
        number, _, rest = word.partition("=")
        name, _, role = rest.partition(":")
        pins[number] = (name, roles[role])
    return pins


HALL = Part(
    "DRV5055A3", "SOT-23", "DRV5055A3QDBZR",
    _pins("1=VCC:supply 2=OUT:out 3=GND:ground"), decoupled=True,
    mark="legs",
)  # fmt: skip
LIGHT = Part(
    "WS2812B", "WS2812B", "WS2812B-V5",
    _pins("1=VDD:supply 2=DOUT:out 3=VSS:ground 4=DIN:in"), decoupled=True,
    sheet="quoted: Worldsemi WS2812B, VDD 3.5 to 5.3 V at most",
    mark="dot",
)  # fmt: skip
MUX = Part(
    "74HC4067", "TSSOP-24", "74HC4067PW,118",
    _pins(
        "1=Z:passive 2=Y7:passive 3=Y6:passive 4=Y5:passive 5=Y4:passive 6=Y3:passive "
        "7=Y2:passive 8=Y1:passive 9=Y0:passive 10=S0:in 11=S1:in 12=GND:ground 13=S3:in "
        "14=S2:in 15=E#:in 16=Y15:passive 17=Y14:passive 18=Y13:passive 19=Y12:passive "
        "20=Y11:passive 21=Y10:passive 22=Y9:passive 23=Y8:passive 24=VCC:supply"
    ),
    decoupled=True,
    sheet="quoted: Philips 74HC4067 of 1993, 20 mA through an input's diode, from -0.5 V on",
    mark="dot",
)  # fmt: skip
REGULATOR = Part(
    "AP2112K-3.3", "SOT-23-5", "AP2112K-3.3TRG1",
    _pins("1=VIN:supply 2=GND:ground 3=EN:in 4=NC:open 5=VOUT:out"), decoupled=True,
    sheet="quoted: Diodes AP2112, 2.5 to 6.0 V in, 250 mV at 600 mA, by KiCad and by JLCPCB",
    mark="legs",
)  # fmt: skip
SHIFTER = Part(
    "74AHCT1G125", "SOT-23-5", "SN74AHCT1G125DBVR",
    _pins("1=OE#:in 2=A:in 3=GND:ground 4=Y:out 5=VCC:supply"), decoupled=True,
    mark="legs",
)  # fmt: skip
GUARD = Part(
    "APX803S-46", "SOT-23", "APX803S-46SA-7",
    _pins("1=GND:ground 2=RESET#:out 3=VCC:supply"), decoupled=True,
    sheet="quoted: Diodes APX803S, 4.56 to 4.70 V; its absolute maxima unread",
    mark="legs",
)  # fmt: skip
_SO8_FET = _pins(
    "1=S:passive 2=S:passive 3=S:passive 4=G:in 5=D:passive 6=D:passive 7=D:passive 8=D:passive"
)
POWER_FET = Part(
    "P-FET 20 V 10 A", "SOIC-8", "DMP2022LSS-13",
    _SO8_FET,
    sheet="read: Diodes DS31373 rev. 5, 20 V, VGS 12 V, 8 A at 70 °C, 35 A for 10 µs, 16 mΩ",
    mark="dot",
)  # fmt: skip
INPUT_FET = Part(
    "P-FET 30 V 36 A", "SOIC-8", "SI4497DY-T1-GE3",
    _SO8_FET,
    sheet="unread: Vishay 65748",
    mark="dot",
)  # fmt: skip
SMALL_PNP = Part(
    "MMBT3906", "SOT-23", "MMBT3906-7-F", _pins("1=B:in 2=E:passive 3=C:passive"),
    sheet="quoted: NXP MMBT3906 of 2003, 1 base, 2 emitter, 3 collector; of Diodes unread",
    mark="legs",
)  # fmt: skip
SHUNT = Part(
    "TL431B 0.5%", "SOT-23", "TL431BQDBZR", _pins("1=K:passive 2=REF:in 3=A:ground"),
    sheet="read: TI SLVS543S, 2483 to 2507 mV, 4 µA into REF, 0.7 mA at most before it regulates",
    mark="legs",
)  # fmt: skip
SMALL_FET = Part("2N7002", "SOT-23", "2N7002,215", _pins("1=G:in 2=S:ground 3=D:out"), mark="legs")
PICO = Part(
    "Raspberry Pi Pico", "Pico", "SC0915",
    {
        **_pins(
            "3=GND:ground 8=GND:ground 13=GND:ground 18=GND:ground 23=GND:ground 28=GND:ground "
            "33=AGND:ground 38=GND:ground 30=RUN:open 35=VREF:open 36=3V3:out 37=3V3EN:open "
            "39=VSYS:supply 40=VBUS:open"
        ),
        **{
            str(pad): (f"GP{gp}", "passive")
            for gp, pad in enumerate(
                (1, 2, 4, 5, 6, 7, 9, 10, 11, 12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25, 26, 27,
                 29)
            )
        },
        "31": ("GP26", "passive"),
        "32": ("GP27", "passive"),
        "34": ("GP28", "passive"),
    },
    sheet="quoted: RP2040, 12 mA a pin, 50 mA all together; Pico, VSYS 1.8 to 5.5 V",
    mark="usb",
)  # fmt: skip
STRIP_PLUG = Part(
    "box header 2x7",
    "Box14",
    "3020-14-0100-00",
    sheet="quoted: CNC Tech 3020, as 61201421621",
    mark="key",
)
STRIP_PLUG_BELOW = Part("box header 2x7", "Box14below", "3020-14-0100-00", mark="key")
BUTTON_PLUG = Part("JST XH 2", "XH2", "B2B-XH-A", mark="key")
SUPPLY_PLUG = Part("keyed header 5.08", "Screw2", "1755736", mark="key")
SUPPLY_SOCKET = Part("keyed plug with screws 5.08", "", "1757019")
FUSE = Part("mini blade fuse holder", "FuseMini", "3568")
PTC = Part(
    "PTC 1.1 A", "1206", "1206L110THYR",
    sheet="quoted: Littelfuse 1206L, 2.2 A trips it, 8 A in 0.1 s, 8 V, 40 to 210 mΩ",
)  # fmt: skip
BULK_CAN = Part("1000u 10V", "Can10", "EEU-FR1A102", _pins("1=+:passive 2=-:ground"), mark="plus")
BULK = Part("22u 10V", "0805", "CL21A226KPQNNNE")
TEN_U = Part("10u 10V", "0805", "CL21A106KPFNNNE")
DECOUPLING = Part("100n 25V", "0603", "CC0603KRX7R8BB104")
MICRO = Part("1u 25V", "0603", "CL10B105KA8NNNC")
MILLER = Part("47n 25V", "0603", "CC0603KRX7R8BB473")
SURGE = Part(
    "SMBJ12CA", "SMB", "SMBJ12CA",
    sheet="quoted: AVX SMBJ, 100 K/W to the air, as other makers'",
)  # fmt: skip
ZENER = Part("BZT52C10", "SOD-123", "BZT52C10-7-F", mark="ring")
DIODE = Part("SS14", "SMA", "SS14", mark="ring")
POWER_LIGHT = Part("green LED", "LED0805", "LTST-C170KGKT", mark="cathode")
R220 = Part("220R", "0603", "RC0603FR-07220RL")
R100 = Part("100R", "0603", "RC0603FR-07100RL")
R10K = Part("10k", "0603", "RC0603FR-0710KL")
R20K = Part("20k", "0603", "RC0603FR-0720KL")
R470 = Part("470R", "0603", "RC0603FR-07470RL")
R1K5 = Part("1.5k", "0603", "RC0603FR-071K5L")
R47K = Part("47k", "0603", "RC0603FR-0747KL")
R220K = Part("220k", "0603", "RC0603FR-07220KL")
R470K = Part("470k", "0603", "RC0603FR-07470KL")
R100K = Part("100k", "0603", "RC0603FR-07100KL")
R10K_WIRED = Part("10k with wires", "", "CFR-25JB-52-10K")
R1K_EXACT = Part("1k 0.1%", "0603", "RT0603BRD071KL")
R11K_EXACT = Part("11k 0.1%", "0603", "RT0603BRD0711KL")
R10K_EXACT = Part("10k 0.1%", "0603", "RT0603BRD0710KL")
FUSE_2A = Part("mini blade fuse 2 A", "", "0297002.WXNV")
FUSE_3A = Part("mini blade fuse 3 A", "", "0297003.WXNV")
FUSE_4A = Part("mini blade fuse 4 A", "", "0297004.WXNV")
FUSE_7A5 = Part("mini blade fuse 7.5 A", "", "029707.5WXNV")
SOCKET_20 = Part("socket 1x20 for the Pico", "", "PPTC201LFBN-RC")
JUMPER = Part("jumper cap 2.54", "", "SPC02SYAN")
FIDUCIAL = Part("fiducial", "Fiducial", "", {"": ("", "open")})
TEST_PAD = Part("test pad", "TestPad", "")
"""Bare copper for a probe, beside the letter that the maker's guide calls it by."""


def supply(ma: int) -> Part:
    """A closed 5 V supply for a current in mA.

    >>> supply(3000).value
    'supply 5 V 3 A'
    """
    value = f"supply 5 V {ma / 1000:g} A"
    return Part(value, "", value)


_SI = {"R": 1.0, "m": 1e-3, "k": 1e3, "M": 1e6, "u": 1e-6, "n": 1e-9, "p": 1e-12}
_VALUE = re.compile(r"^(\d+(?:\.\d+)?)(R|k|M|u|n|p)(?:\s|$)")


def magnitude(value: str) -> tuple[str, float] | None:
    """("R" or "C", ohms or farads) of a resistor's or capacitor's value; None for other parts.

    >>> magnitude("22k"), magnitude("10k 0.1%"), magnitude("100n 25V"), magnitude("SS14")
    (('R', 22000.0), ('R', 10000.0), ('C', 1e-07), None)
    """
    met = _VALUE.match(value)
    if not met:
        return None
    kind = "C" if met[2] in "unp" else "R"
    return kind, float(f"{float(met[1]) * _SI[met[2]]:.6g}")
