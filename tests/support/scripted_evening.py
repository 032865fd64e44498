"""A table of Evening that shows its page whatever a test makes up."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hello_of import hello_of
from lumiban import games
from lumiban.boards import profile as profiles
from lumiban.boards.mapping import place_grid
from web_client import ScriptedTable


@dataclass
class EveningTable(ScriptedTable):
    """Evening without turns, size 3, with a white stone of light on c3; `more` is shown too."""

    more: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.game = games.load("evening", size=3)
        self.profile = profiles.load("hex3")

    def hello(self) -> dict[str, Any]:
        return dict(hello_of(self.profile, False))

    def tell(self, **more: Any) -> None:
        self.more = more
        self.shown += 1
        for callback in list(self.watchers):
            callback(self.view())

    def view(self) -> dict[str, Any]:
        at = self.game.grid.cell
        pieces, none = ([0] * len(self.game.grid) for _ in range(2))
        pieces[at("c3")] = 1
        return {
            "v": self.shown,
            "game": {
                "slug": "evening",
                "options": dict(self.game.options),
                "sides": ["white", "black"],
                "names": list(self.game.grid.names),
                "cells": list(place_grid(self.game.grid, self.profile).board),
                "kinds": [1, 2],
                "trays": [],
            },
            "to_move": [0, 1],
            "seats": [{"side": side, "who": "human", "thinking": False} for side in (0, 1)],
            "moves": [{"n": 1, "side": 0, "text": "wc3", "said": "wc3"}],
            "pieces": pieces,
            "sensed": none,
            "labels": [],
            "hands": [],
            "marks": [],
            "lights": [[0, 0] for _ in range(self.profile.lights)],
            "palette": [[0, 0, 0]],
            "legal": {"place": [at("c4")], "lift": [], "kinds": [2]},
            "verdict": {"kind": "agree", "text": None, "cells": [], "choices": [], "said": []},
            "prompt": {"wait": "", "steps": []},
            "pending": None,
            "outcome": None,
            "words": [["resign"], ["stand", "resign"]],
            "counts": [{"stones": 1, "territory": 0}, {"stones": 0, "territory": 6}],
            "link": "up",
            "hint": "legal",
            "theme": "standard",
            "stop_offers": [],
            "owing": [],
            "can_takeback": False,
            "turnless": True,
            "open": [[], [at("c4")]],
            "dead": [],
            "light": [at("c3")],
            "stands": [True, False],
            "race": None,
            "timeout": None,
            "drift": "",
            "audit": None,
            **self.more,
        }
