"""Beside pytest-rerunfailures: on a simulated board its reruns are its own."""

tried = []


def test_at_the_second_try(lumiban_board):
    tried.append(lumiban_board.hello.boot_id)
    assert len(tried) == 2
