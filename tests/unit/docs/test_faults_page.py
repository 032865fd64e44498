"""docs/faults.md: every fault that a plan may name stands in the table of the words."""

from __future__ import annotations

from lumiban_sim.faults import FORMS
from places import ROOT


def test_every_form_of_a_fault_stands_in_the_document_as_it_is_written() -> None:
    page = (ROOT / "docs" / "faults.md").read_text("utf-8")
    assert FORMS
    for form in FORMS:
        assert f"| `{form.words}` |" in page
