"""Beside pytest-embedded, whose `dut` is asked for in one test with a board."""


def test_dut_and_board(dut, redirect, lumiban_board, lumiban_hands):
    with redirect():
        print("hello from the dut")
    dut.expect("hello from the dut")
    assert lumiban_hands.place("c3", "white").piece == "white"
