"""Part numbers of makers, held against the packages and values that boards are drawn with.

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
    """Meaning of a number; a field that it does not tell is empty or 0."""

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
    (r"ERJ-3EKF(?P<e96>\d{4})V", "0603"), (r"ERA-3AEB(?P<e24>\d{3})V", "0603"),
    (r"RG1608P-(?P<e24>\d{3})-B-T5", "0603"),
    (rf"CRCW(?P<size>0603)(?P<ohms>{_YAGEO_OHMS})FKEA", ""),
    (r"GRM188R[67]1E(?P<pf>\d{3})K.*", "0603"), (r"GRM21BR61A(?P<pf>\d{3})[KM].*", "0805"),
    (r"C1608X7R1E(?P<pf>\d{3})K080AB", "0603"),
    (r"C2012X5R1A(?P<pf>\d{3})[KM]085A[BC]", "0805"),
    (r"SS14-E3/61T|B140-13-F", "SMA"), (r"BZT52C10-E3-08|MMSZ5240BT1G", "SOD-123"),
    (r"2N7002-7-F|2N7002LT1G|MMBT3906LT1G|PMBT3906,215|TL431B[IC]DBZR", "SOT-23"),
    (r"LTST-C170KGKT|150080VS75000|APT2012SGC", "LED0805"),
    (r"SMBJ12CA-E3/52|SMBJ12CA-13-F", "SMB"),
    (r"74AHCT1G125GV,125|74AHCT1G125W5-7", "SOT-23-5"),
    (r"74HC4067PW(?:-Q100,118|,112)", "TSSOP-24"), (r"MF-NSMF110-2|0ZCJ0110FF2C", "1206"),
    (rf"CFR-25JB-52-(?P<ohms>{_YAGEO_OHMS})", ""),
    (r"CC(?P<size>0603)KRX7R8BB(?P<pf>\d{3})", ""),
    (r"CL(?P<samsung>\d\d)[AB](?P<pf>\d{3})K.*", ""),
    (r"EEU-FR1A(?P<uf>\d{3})", "Can10"),
    (r"0297(?P<amps>[\d.]{3,4}?)\.?WXNV", ""),
    (r"1206L110THYR", "1206"), (r"SMBJ12CA", "SMB"), (r"SS14", "SMA"),
    (r"BZT52C10-7-F", "SOD-123"), (r"DRV5055A3QDBZR", "SOT-23"), (r"WS2812B-V5", "WS2812B"),
    (r"74HC4067PW,118", "TSSOP-24"), (r"AP2112K-3\.3TRG1", "SOT-23-5"),
    (r"SN74AHCT1G125DBVR", "SOT-23-5"), (r"APX803S-46SA-7", "SOT-23"),
    (r"DMP2022LSS-13", "SOIC-8"), (r"SI4413ADY-T1-G?E3|SI4497DY-T1-GE3", "SOIC-8"),
    (r"MMBT3906-7-F", "SOT-23"),
    (r"TL431BQDBZR", "SOT-23"), (r"2N7002,215", "SOT-23"), (r"SC0915", "Pico"),
    (r"B(?P<pins>\d)B-XH-A", "XH2"), (r"1755736", "Screw2"), (r"1757019", ""),
    (r"3568", "FuseMini"), (r"PPTC201LFBN-RC", ""), (r"SPC02SYAN", ""), (r"supply 5 V .*", ""),
)  # fmt: skip
_PITCHES_MM = {"XH2": 2.5, "Screw2": 5.08}
ALTERNATES = {
    "3020-14-0100-00": ("61201421621", "T821114A1S100CEU"),
    "CC0603KRX7R8BB104": ("CL10B104KA8NNNC", "GRM188R71E104KA01D"),
    "CC0603KRX7R8BB473": ("CL10B473KB8NNNC", "GRM188R71E473KA01D"),
    "CL10B105KA8NNNC": ("GRM188R61E105KA12D", "C1608X7R1E105K080AB"),
    "CL21A106KPFNNNE": ("GRM21BR61A106KE19L", "C2012X5R1A106K085AB"),
    "CL21A226KPQNNNE": ("GRM21BR61A226ME44L", "C2012X5R1A226M085AC"),
    "SS14": ("SS14-E3/61T", "B140-13-F"),
    "BZT52C10-7-F": ("BZT52C10-E3-08", "MMSZ5240BT1G"),
    "2N7002,215": ("2N7002-7-F", "2N7002LT1G"),
    "MMBT3906-7-F": ("MMBT3906LT1G", "PMBT3906,215"),
    "SMBJ12CA": ("SMBJ12CA-E3/52", "SMBJ12CA-13-F"),
    "SN74AHCT1G125DBVR": ("74AHCT1G125GV,125", "74AHCT1G125W5-7"),
    "74HC4067PW,118": ("74HC4067PW-Q100,118", "74HC4067PW,112"),
    "TL431BQDBZR": ("TL431BIDBZR", "TL431BCDBZR"),
    "SI4497DY-T1-GE3": ("SI4413ADY-T1-GE3", "SI4413ADY-T1-E3"),
    "LTST-C170KGKT": ("150080VS75000", "APT2012SGC"),
    "1206L110THYR": ("MF-NSMF110-2", "0ZCJ0110FF2C"),
}
"""Numbers of other makers, or of another series, for the same land. None was ordered: package and
value are what their numbers say; ratings are to be read before they are bought. With SI4413ADY
(Vishay 73792 rev. C: 30 V, 20 V at its gate, 11 mΩ at most) every scene of hex3 and hex5 keeps its
limits; the largest board, grid13x14, falls 23 mV short of a good supply when all lights shine."""
ALONE = {
    "DRV5055A3QDBZR": "thresholds and the magnets are calculated with its 15 mV/mT",
    "WS2812B-V5": "its corners' order and its timing differ from maker to maker",
    "AP2112K-3.3TRG1": "others of its pins stop at less than 0.6 A, or bear less than 6 V",
    "APX803S-46SA-7": "its threshold is in the firmware",
    "DMP2022LSS-13": "the soft start is simulated with its gate",
    "SC0915": "it is the computer",
    "1755736": "its plug must fit",
    "B2B-XH-A": "its plug must fit",
    "3568": "its pads must fit",
    "EEU-FR1A102": "its height and pitch must fit",
}  # fmt: skip
"""Parts for which nothing else may be put in without thought, and why."""


def alternates(number: str) -> tuple[str, ...]:
    """Two other numbers for a part, or none; resistors by their value.

    >>> alternates("RC0603FR-0710KL"), alternates("RT0603BRD071KL")
    (('ERJ-3EKF1002V', 'CRCW060310K0FKEA'), ('ERA-3AEB102V', 'RG1608P-102-B-T5'))
    >>> alternates("SC0915")
    ()
    """
    met = re.fullmatch(rf"R([CT])0603(?:FR-|BRD)07({_YAGEO_OHMS})L", number)
    if not met:
        return ALTERNATES.get(number, ())
    size = magnitude(_value({"ohms": met[2]}))
    if size is None:
        return ()
    digits = f"{size[1]:.2e}"
    power = int(digits[5:])
    if met[1] == "T":
        code = f"{digits[0]}{digits[2]}{power - 1}"
        return f"ERA-3AEB{code}V", f"RG1608P-{code}-B-T5"
    code = f"{digits[0]}{digits[2:4]}{power - 2}"
    return f"ERJ-3EKF{code}V", f"CRCW0603{_vishay(size[1])}FKEA"


def _vishay(ohms: float) -> str:
    """Four characters with the unit in place of the point.

    >>> _vishay(470), _vishay(1500), _vishay(220e3)
    ('470R', '1K50', '220K')
    """
    unit, letter = (1e3, "K") if ohms >= 1e3 else (1.0, "R")
    value = ohms / unit
    whole = f"{value:.0f}" if value >= 100 else f"{value:.4g}"
    whole, _, part = whole.partition(".")
    return f"{whole}{letter}{part:0<{max(0, 3 - len(whole))}}"


def decode(number: str) -> Decoded | None:
    """Meaning of a part number; None for a series that is not in the table.

    >>> decode("3220-14-0100-00")
    Decoded(land='Box14', value='', pins=14, pitch_mm=1.27)
    >>> decode("RC0603FR-07470RL").value, decode("CL10B105KA8NNNC").value
    ('470R', '1u')
    """
    for pattern, land in _SERIES:
        met = re.fullmatch(pattern, number)
        if not met:
            continue
        groups = met.groupdict()
        pitch = _PITCHES_MM.get(land, 0.0)
        if land == "Box14":
            pitch = _CNC_PITCH_MM[groups["cnc"]] if groups.get("cnc") else 2.54
        package = groups.get("size") or _SAMSUNG.get(groups.get("samsung") or "", "") or land
        return Decoded(package, _value(groups), int(groups.get("pins") or 0), pitch)
    return None


def _value(groups: dict[str, str | None]) -> str:
    if ohms := groups.get("ohms"):
        whole, unit, part = re.fullmatch(_YAGEO_OHMS, ohms).groups()  # type: ignore[union-attr]
        return f"{whole}{'.' if part else ''}{part}{unit.replace('K', 'k')}"
    if digits := groups.get("e96") or groups.get("e24"):
        ohms_there = int(digits[:-1]) * 10 ** int(digits[-1])
        return f"{ohms_there / 1000:g}k" if ohms_there >= 1000 else f"{ohms_there}R"
    if digits := groups.get("pf"):
        pico = int(digits[:2]) * 10 ** int(digits[2])
        for power, unit in ((6, "u"), (3, "n"), (0, "p")):
            if pico >= 10**power:
                return f"{pico / 10**power:g}{unit}"
    if digits := groups.get("uf"):
        return f"{int(digits[:2]) * 10 ** int(digits[2])}u"
    return f"{float(amps):g} A" if (amps := groups.get("amps")) else ""


def check(name: str, parts: Iterable[Part]) -> Iterator[Finding]:
    """Parts whose number, or an alternate's, is another package, value or pitch than is drawn."""
    for part in {part.number: part for part in parts if part.number}.values():
        for number in (part.number, *alternates(part.number)):
            wrong = _wrong(part, number)
            if wrong:
                yield Finding(name, "order", {"number": number, "part": part.value, "what": wrong})


def _wrong(part: Part, number: str) -> str:
    decoded = decode(number)
    if decoded is None:
        return "no ordering table"
    land = LANDS.get(part.land)
    if land and decoded.land and decoded.land != land.name.removesuffix("below"):
        return f"{decoded.land} on {land.name}"
    if land and decoded.pins and decoded.pins != len({pad.number for pad in land.pads}):
        return f"{decoded.pins} pins on {land.name}"
    if land and decoded.pitch_mm:
        first = land.pads[0]
        there = min(abs(p.x - first.x) + abs(p.y - first.y) for p in land.pads[1:])
        if abs(there - decoded.pitch_mm) > 0.02:
            return f"{decoded.pitch_mm:g} mm pitch on {there:g} mm"
    if decoded.value and decoded.value.endswith("A") and decoded.value not in part.value:
        return f"{decoded.value} for {part.value}"
    if (
        decoded.value
        and not decoded.value.endswith("A")
        and magnitude(decoded.value) != magnitude(part.value)
    ):
        return f"{decoded.value} for {part.value}"
    return ""
