"""The suite of `lumiban.hil` on our own boards: simulated, in the VM, on a header, emulated."""

from __future__ import annotations

from lumiban.hil.suite.test_cells import *  # noqa: F403
from lumiban.hil.suite.test_events import *  # noqa: F403
from lumiban.hil.suite.test_greeting import *  # noqa: F403
from lumiban.hil.suite.test_injected import *  # noqa: F403
from lumiban.hil.suite.test_lights import *  # noqa: F403
from lumiban.hil.suite.test_line import *  # noqa: F403
from lumiban.hil.suite.test_readings import *  # noqa: F403
from lumiban.hil.suite.test_restarts import *  # noqa: F403
