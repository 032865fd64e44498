"""What makers' part numbers say, held against the packages and values that boards are drawn with.

A part number is written by hand and looks right to everyone: `3220-14-0100-00` is a box header of
14 ways as well, of half the pitch. So each series is decoded by its maker's ordering table.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from lumiban_hw.kit import Finding
from lumiban_hw.parts import Part, magnitude
from lumiban_hw.pcb.drawing import LANDS


@dataclass(frozen=True, slots=True)
class Decoded:
    """What a number tells; what it does not is empty or 0."""

    land: str = ""
    value: str = ""
    pins: int = 0
    pitch_mm: float = 0.0


_YAGEO_OHMS = r"(\d*)([RKM])(\d*)"
_CNC_PITCH_MM = {"3020": 2.54, "3120": 2.0, "3220": 1.27}
_SAMSUNG = {"10": "0603", "21": "0805"}
_SERIES: tuple[tuple[str, str], ...] = (
    # Maker's pattern, and what decodes it: see `decode`.
    (r"(?P<cnc>3[012]20)-(?P<pins>\d\d)-\d{4}-\d\d", "Box14"),
    (r"612(?P<wurth>0)(?P<pins>\d\d)216\d\d", "Box14"),
    (r"T821(?P<amphenol>1)(?P<pins>\d\d)A1S100CEU", "Box14"),
    (rf"RC(?P<size>0603)FR-07(?P<ohms>{_YAGEO_OHMS})L", ""),
    (rf"RT(?P<size>0603)BRD07(?P<ohms>{_YAGEO_OHMS})L", ""),
    (rf"CFR-25JB-52-(?P<ohms>{_YAGEO_OHMS})", ""),
    (r"CC(?P<size>0603)KRX7R8BB(?P<pf>\d{3})", ""),
    (r"CL(?P<samsung>\d\d)[AB](?P<pf>\d{3})K.*", ""),
    (r"EEU-FR1A(?P<uf>\d{3})", "Can10"),
    (r"0297(?P<amps>[\d.]{3,4}?)\.?WXNV", ""),
    (r"1206L110THYR", "1206"), (r"SMBJ12CA", "SMB"), (r"SS14", "SMA"),
    (r"BZT52C10-7-F", "SOD-123"), (r"DRV5055A3QDBZR", "SOT-23"), (r"WS2812B-V5", "WS2812B"),
    (r"74HC4067PW,118", "TSSOP-24"), (r"AP2112K-3\.3TRG1", "SOT-23-5"),
    (r"SN74AHCT1G125DBVR", "SOT-23-5"), (r"APX803S-46SA-7", "SOT-23"),
    (r"DMP2022LSS-13", "SOIC-8"), (r"SI4497DY-T1-GE3", "SOIC-8"), (r"MMBT3906-7-F", "SOT-23"),
    (r"TL431BQDBZR", "SOT-23"), (r"2N7002,215", "SOT-23"), (r"SC0915", "Pico"),
    (r"B(?P<pins>\d)B-XH-A", "XH2"), (r"1755736", "Screw2"), (r"1757019", ""),
    (r"3568", "FuseMini"), (r"PPTC201LFBN-RC", ""), (r"SPC02SYAN", ""), (r"supply 5 V .*", ""),
)  # fmt: skip
_PITCHES_MM = {"XH2": 2.5, "Screw2": 5.08}
ALTERNATES = {"3020-14-0100-00": ("61201421621", "T821114A1S100CEU")}
"""Numbers of other makers for the same land; each is decoded as well."""


def decode(number: str) -> Decoded | None:
    """What a part number says; None for a series that is not in the table.

    >>> decode("3220-14-0100-00")
    Decoded(land='Box14', value='', pins=14, pitch_mm=1.27)
    >>> decode("RC0603FR-07470RL").value, decode("CL10B105KA8NNNC").value
    ('470R', '1u')
    """
    for pattern, land in _SERIES:
        met = re.fullmatch(pattern, number)
        if not met:
            continue
        said = met.groupdict()
        pitch = _PITCHES_MM.get(land, 0.0)
        if land == "Box14":
            pitch = _CNC_PITCH_MM[said["cnc"]] if said.get("cnc") else 2.54
        package = said.get("size") or _SAMSUNG.get(said.get("samsung") or "", "") or land
        return Decoded(package, _value(said), int(said.get("pins") or 0), pitch)
    return None


def _value(said: dict[str, str | None]) -> str:
    if ohms := said.get("ohms"):
        whole, unit, part = re.fullmatch(_YAGEO_OHMS, ohms).groups()  # type: ignore[union-attr]
        return f"{whole}{'.' if part else ''}{part}{unit.replace('K', 'k')}"
    if digits := said.get("pf"):
        pico = int(digits[:2]) * 10 ** int(digits[2])
        for power, unit in ((6, "u"), (3, "n"), (0, "p")):
            if pico >= 10**power:
                return f"{pico / 10**power:g}{unit}"
    if digits := said.get("uf"):
        return f"{int(digits[:2]) * 10 ** int(digits[2])}u"
    return f"{float(amps):g} A" if (amps := said.get("amps")) else ""


def check(name: str, parts: Iterable[Part]) -> Iterator[Finding]:
    """Parts whose number, or an alternate's, is another package, value or pitch than is drawn."""
    for part in {part.number: part for part in parts if part.number}.values():
        for number in (part.number, *ALTERNATES.get(part.number, ())):
            wrong = _wrong(part, number)
            if wrong:
                yield Finding(name, "order", {"number": number, "part": part.value, "what": wrong})


def _wrong(part: Part, number: str) -> str:
    told = decode(number)
    if told is None:
        return "no ordering table"
    land = LANDS.get(part.land)
    if land and told.land and told.land != land.name.removesuffix("below"):
        return f"{told.land} on {land.name}"
    if land and told.pins and told.pins != len({pad.number for pad in land.pads}):
        return f"{told.pins} pins on {land.name}"
    if land and told.pitch_mm:
        first = land.pads[0]
        there = min(abs(p.x - first.x) + abs(p.y - first.y) for p in land.pads[1:])
        if abs(there - told.pitch_mm) > 0.02:
            return f"{told.pitch_mm:g} mm pitch on {there:g} mm"
    if told.value and told.value.endswith("A") and told.value not in part.value:
        return f"{told.value} for {part.value}"
    if (
        told.value
        and not told.value.endswith("A")
        and magnitude(told.value) != magnitude(part.value)
    ):
        return f"{told.value} for {part.value}"
    return ""
