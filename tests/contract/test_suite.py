"""The suite of `pytest_lumiban` on our own boards: simulated, in the VM, on a header, emulated."""

from __future__ import annotations

from pytest_lumiban.suite.test_cells import *  # noqa: F403
from pytest_lumiban.suite.test_events import *  # noqa: F403
from pytest_lumiban.suite.test_greeting import *  # noqa: F403
from pytest_lumiban.suite.test_injected import *  # noqa: F403
from pytest_lumiban.suite.test_lights import *  # noqa: F403
from pytest_lumiban.suite.test_line import *  # noqa: F403
from pytest_lumiban.suite.test_readings import *  # noqa: F403
from pytest_lumiban.suite.test_restarts import *  # noqa: F403
