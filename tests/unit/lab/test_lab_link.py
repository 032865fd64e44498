"""`bench link`: its figures are of this line, and stand beside what the wire allows."""

from __future__ import annotations

from pathlib import Path

import pytest
from lumiban.boards.profile import load
from lumiban_fw import wire
from lumiban_lab.experiments import answers
from lumiban_lab.link import limits, measure, table


@pytest.mark.long
@pytest.mark.alone
async def test_every_figure_is_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LUMIBAN_HOME", str(tmp_path))
    figures = await measure("hex3", 0.05, 2, 115_200, lambda told: None)
    for name in ("events", "pictures", "one_light"):
        assert figures[f"{name}_per_s"] > 0
        assert figures[f"usb_{name}_per_s"] > figures[f"uart_{name}_per_s"]
    for way in ("virtual", "real"):
        assert list(figures[f"{way}_heard_us"]) == ["p50", "p90", "p99", "worst"]
        for heard, lit in zip(
            figures[f"{way}_heard_us"].values(), figures[f"{way}_lit_us"].values(), strict=True
        ):
            assert heard <= lit
    assert len(table(figures)) == 12


def test_a_stone_is_heard_after_it_has_come_to_rest_and_light_follows() -> None:
    profile = load("hex3")
    found = answers(profile, 3, 5)
    assert found == answers(profile, 3, 5)
    for one in found:
        assert profile.settle_us <= one.heard_us < 400_000
        assert one.heard_us <= one.lit_us <= one.heard_us + 20_000


def test_the_wire_s_limits_follow_from_its_frames() -> None:
    slow, fast = limits(61, 19_200), limits(61, 192_000)
    for name in ("events", "pictures", "one_light"):
        assert slow[f"usb_{name}_per_s"] == fast[f"usb_{name}_per_s"]
        ratio = fast[f"uart_{name}_per_s"] / slow[f"uart_{name}_per_s"]
        assert 9 < ratio < 12
    assert limits(182, 9_600)["usb_pictures_per_s"] == 1000 // 8
    one = len(wire.frame(wire.B_EVENTS, wire.pack_events(1, 1 << 20, [(0, 1, 1 << 20, 500)])))
    assert slow["uart_event_us"] == round(one * 10 / 19_200 * 1e6)
