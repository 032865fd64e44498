"""What people asked for and cannot have, with the reason."""

from __future__ import annotations

from collections.abc import Mapping

from lumiban.catalogue import text
from lumiban.errors import LumibanError


class Declined(LumibanError):
    """A command that cannot be followed; `id` and `params` name the sentence that says why."""

    def __init__(self, id: str, **params: str | int) -> None:
        super().__init__(text(id, "en", **params))
        self.id = id
        self.params: Mapping[str, str | int] = params
