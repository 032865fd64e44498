"""A board for scripts: cells to light and to watch, and tables to play at, in plain calls.

`Board` is a real one on its serial port, `Simulator` a simulated one with a hand over it; both
take the same lines. Nothing here needs asyncio.
"""
