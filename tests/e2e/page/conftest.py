"""One Chromium for all tests of pages in this process, closed when they are through."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest_asyncio
from browser import ONE_CHROMIUM


@pytest_asyncio.fixture(scope="session", loop_scope="session", autouse=True)
async def one_chromium() -> AsyncIterator[None]:
    yield
    await ONE_CHROMIUM.close()
