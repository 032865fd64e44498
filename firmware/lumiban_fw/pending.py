"""Events that are certain, while it is being worked out when each happened."""

from array import array

from lumiban_fw.layout import Layout
from lumiban_fw.motion import Motions
from lumiban_fw.timing import Gaps, Way, moment

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.contact import Steps


class Pending:
    """One after the other, in the order in which they were `add`ed.

    `times` are those of the last frames, `grounds` the rings of all rows' references, `gaps` what
    was not seen.
    """

    def __init__(
        self,
        layout: Layout,
        motions: Motions,
        times: "array[int]",
        grounds: "array[int]",
        gaps: Gaps,
    ) -> None:
        self._gaps = gaps
        self._layout = layout
        self._motions = motions
        self._times = times
        self._grounds = grounds
        self._jobs: "list[tuple[Way, int]]" = []
        self._job: "Steps[tuple[int, int]] | None" = None
        """The work on the first of them, once it has begun."""

    def any(self) -> bool:
        """Whether there is work to do."""
        return len(self._jobs) > 0

    def add(self, way: Way, kind: int) -> None:
        """A cell has taken a way and holds a new kind since."""
        self._jobs.append((way, kind))

    def work(self, steps: int, found: "list[tuple[int, int, int, int]]") -> None:
        """Do at most `steps` short steps; `found` takes (time, cell, kind, uncertainty)."""
        while self._jobs and steps > 0:
            way, kind = self._jobs[0]
            steps -= 1
            if self._job is None:
                self._job = moment(way, self._times, self._grounds, self._layout)
            try:
                next(self._job)
            except StopIteration as done:
                self._job = None
                t_us, uncertainty = done.value
                uncertainty = self._gaps.widen(t_us, uncertainty)
                found.append((t_us, way.cell, kind, uncertainty))
                self._motions.give_back(way.ring)
                self._jobs.pop(0)

    def mark(self, mark: int, oldest: int) -> int:
        """The least beginning of a way, but not before `oldest`; `mark` when that is less."""
        for k in range(len(self._jobs)):
            start = self._jobs[k][0].start_us
            if start < mark:
                mark = start if start > oldest else oldest
        return mark

    def shift(self, by_us: int) -> None:
        """Move the moment from which times count."""
        for way, _ in self._jobs:
            way.start_us -= by_us
