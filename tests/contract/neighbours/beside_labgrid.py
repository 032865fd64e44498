"""Beside labgrid, whose target's power would cut the board's (labgrid.yaml)."""


def test_target_and_board(target, lumiban_board):
    assert target.get_driver("PowerProtocol", activate=False)
    assert lumiban_board.ask_state() == {}
