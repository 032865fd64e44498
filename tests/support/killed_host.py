"""A host of two bots at full pace, to be killed by test_sigkills.py: what `demo` runs, in a hurry.

python tests/support/killed_host.py SEED
"""

from __future__ import annotations

import sys

from lumiban.runtime import play
from lumiban.table.setup import TableSetup
from lumiban.table.types import Settings

if __name__ == "__main__":
    play.run(
        TableSetup(
            options={"size": 3},
            profile="hex3",
            seats=("bot:gentle", "bot:gentle"),
            seed=int(sys.argv[1]),
            resumes_any_game=True,
            eager=True,
        ),
        settings=Settings(grace_us=50_000, rematch_us=100_000),
        port=0,
        opens_browser=False,
        greeting_id="cli.demo.greeting",
    )
