"""Beside pytest-asyncio: a coroutine is a test of a board."""

import asyncio

import pytest


@pytest.mark.asyncio
async def test_a_coroutine(lumiban_board, lumiban_hands):
    await asyncio.sleep(0)
    assert lumiban_hands.place("c3", "white").piece == "white"
