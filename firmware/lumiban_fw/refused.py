"""Why an order of the host is not followed."""


class Nak(Exception):
    """A frame that cannot be followed; `why` is a code of NAK."""

    def __init__(self, why: int) -> None:
        super().__init__(why)
        self.why = why
