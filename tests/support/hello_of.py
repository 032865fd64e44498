"""What a page is told of a board and its games, found out once: that takes some 250 trial games."""

from __future__ import annotations

from functools import cache

from lumiban.boards.profile import Profile
from lumiban.runtime.page_hello import page_hello
from lumiban.web.hello import Hello


@cache
def hello_of(board: Profile, simulated: bool = True) -> Hello:
    """The hello of a board with the usual games; nobody may change it."""
    return page_hello(board, simulated=simulated)
