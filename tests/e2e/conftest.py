"""One Chromium for all tests of pages in this process, closed when they are through."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

sys.path.insert(0, str(Path(__file__).parent))
from browser import ONE_CHROMIUM


@pytest_asyncio.fixture(scope="session", loop_scope="session", autouse=True)
async def one_chromium() -> AsyncIterator[None]:
    yield
    await ONE_CHROMIUM.close()
