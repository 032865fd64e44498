"""What a host may ask of a board beside play: raw fields, injected readings, files.

Each is loaded when it is asked for first: in play their code takes no memory.
"""

from lumiban_fw.events import NEVER
from lumiban_fw.hal import Hal
from lumiban_fw.layout import Layout
from lumiban_fw.link import Link

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.field import Field
    from lumiban_fw.inject import Injected
    from lumiban_fw.update import Receiver


class Services:
    """The services of one board."""

    def __init__(self, hal: Hal, layout: Layout, link: Link) -> None:
        self._hal = hal
        self._layout = layout
        self._link = link
        self._field: "Field | None" = None
        self._injected: "Injected | None" = None
        self._files: "Receiver | None" = None

    @property
    def field(self) -> "Field":
        """What tells raw readings."""
        if self._field is None:
            from lumiban_fw.field import Field

            self._field = Field(self._layout, self._link)
        return self._field

    @property
    def injected(self) -> "Injected":
        """What stands in for the sensors."""
        if self._injected is None:
            from lumiban_fw.inject import Injected

            self._injected = Injected(self._layout)
        return self._injected

    @property
    def files(self) -> "Receiver":
        """What takes in files."""
        if self._files is None:
            from lumiban_fw.update import Receiver

            self._files = Receiver(self._hal)
        return self._files

    def injects(self) -> bool:
        """Whether the senses read what the host injects."""
        return self._injected is not None and self._injected.on

    def updating(self) -> bool:
        """Whether a file is under way."""
        return self._files is not None and self._files.open

    def field_us(self) -> int:
        """When raw readings are due to be told."""
        return NEVER if self._field is None else self._field.due_us

    def due_us(self) -> int:
        """When the next reading is told or changes."""
        due = self.field_us()
        return due if self._injected is None else min(due, self._injected.due_us())

    def stop_field(self) -> None:
        """A new host has not asked for raw readings."""
        if self._field is not None:
            self._field.stop()

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        if self._field is not None:
            self._field.shift(by_us)
        if self._injected is not None:
            self._injected.shift(by_us)
