"""Tests of a board and its firmware with pytest: fixtures, backends, a suite.

`pip install pytest-lumiban` makes the fixtures known to pytest (`plugin`). A test asks for
`lumiban_board` and, as it needs them, `lumiban_hands`, `lumiban_light`, `lumiban_power` and
`lumiban_faults`; `--lumiban-board` says which board. `suite` holds any firmware against
docs/wire.md: `pytest --pyargs pytest_lumiban.suite --lumiban-board serial:auto`. `zoo` has boards
that are wrong in one thing, on which the suite must fail.
"""
