"""Events that are certain, while it is being worked out when each happened."""

from array import array

from lumiban_fw.layout import Layout
from lumiban_fw.motion import MovingCells
from lumiban_fw.timing import SOON, Gaps, Trajectory, estimate_time, unfitted
from lumiban_fw.ways import CLOCK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from lumiban_fw.contact import Steps


class TimingQueue:
    """One after the other, in the order in which they were `add`ed.

    `times` are those of the last frames, `grounds` the rings of all rows' references, `gaps` what
    was not seen.
    """

    def __init__(
        self,
        layout: Layout,
        motions: MovingCells,
        times: "array[int]",
        grounds: "array[int]",
        gaps: Gaps,
    ) -> None:
        self._gaps = gaps
        self._layout = layout
        self._motions = motions
        self._times = times
        self._grounds = grounds
        self._jobs: "list[tuple[Trajectory, int]]" = []
        self._job: "Steps[tuple[int, int]] | None" = None
        """The work on the first of them, once it has begun."""

    def any(self) -> bool:
        """Whether there is work to do."""
        return len(self._jobs) > 0

    def add(self, way: Trajectory, kind: int) -> None:
        """A cell has taken a way and holds a new kind since."""
        self._jobs.append((way, kind))

    def work(self, steps: int, no: int, found: "list[tuple[int, int, int, int]]") -> None:
        """Do at most `steps` short steps after frame `no`; `found` takes (time, cell, kind,
        uncertainty)."""
        while self._jobs and steps > 0:
            way, kind = self._jobs[0]
            steps -= 1
            way.now = no
            if self._job is None:
                self._job = estimate_time(way, self._times, self._grounds, self._layout)
            try:
                # It has waited for so long that its times are overwritten, or about to be.
                got = unfitted(way) if way.age() > CLOCK - SOON else next(self._job)
            except StopIteration as done:
                got = done.value
            if got is not None:
                self._job = None
                t_us, uncertainty = got
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
