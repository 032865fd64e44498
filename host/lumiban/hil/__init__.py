"""Tests of a board and its firmware with pytest: fixtures, backends, a suite, a report.

`pip install "lumiban[hil]"` makes the fixtures known to pytest (`plugin`). A test asks for `board`
and, as it needs them, `hands`, `light`, `power` and `faults`; `--board` says which board. `suite`
holds any firmware against docs/wire.md: `pytest --pyargs lumiban.hil.suite --board serial:auto`.
`zoo` has boards that are wrong in one thing, on which the suite must fail.
"""
