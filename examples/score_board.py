"""A score board of a running table, for a stream's overlay or a second screen.

    .venv/bin/python examples/score_board.py http://127.0.0.1:8700/ --html score.html

It looks on (`?watch=1`) and acts on nothing. Each change is a line; with --html the same is kept in
a file that a stream's browser source shows. Nothing but lumiban's own packages is needed.
"""

from __future__ import annotations

import argparse
import html
import json
import time
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from websockets.exceptions import WebSocketException
from websockets.sync.client import connect


class Words:
    """Sentences of the table's catalogue in one language."""

    def __init__(self, url: str, language: str) -> None:
        with urllib.request.urlopen(f"{url}api/texts?lang={language}") as answer:
            self._known: dict[str, str] = json.load(answer)

    def say(self, id: str, params: Mapping[str, Any], plain: str = "") -> str:
        """A sentence with its parameters; `plain` where the catalogue has none."""
        return self._known.get(id, plain or id).format(**params)


def line_of(view: Mapping[str, Any], words: Words) -> str:
    """Line of a score board for a view: game, players, figures, and whose turn it is."""
    game = view["game"]
    parts = [words.say(f"game.{game['slug']}.name", {}, game["slug"])]
    for seat, side in zip(view["seats"], game["sides"], strict=True):
        name = words.say(f"side.{side}", {}, side)
        figure = view["counts"][seat["side"]]["stones"] if view["counts"] else ""
        turn = "*" if seat["side"] in view["to_move"] else ""
        parts.append(f"{turn}{name} ({seat['who']}) {figure}".rstrip())
    if view["outcome"] is not None:
        text = view["outcome"]["text"]
        parts.append(words.say(text["id"], text["params"]))
    elif view["moves"]:
        parts.append(f"{view['moves'][-1]['n']}. {view['moves'][-1]['said']}")
    return " | ".join(parts)


def show(line: str, place: Path | None) -> None:
    """Print it, and keep it in the file."""
    print(line, flush=True)
    if place is not None:
        cells = "".join(f"<p>{html.escape(part)}</p>" for part in line.split(" | "))
        beside = place.with_suffix(".new")
        beside.write_text(f'<!doctype html><meta charset="utf-8">{cells}\n', "utf-8")
        beside.replace(place)  # its readers never see half of it


def follow(url: str, words: Words, place: Path | None, most: int) -> int:
    """Show each change until the table goes away, or `most` (0: any number); how many."""
    shown, last = 0, ""
    with connect(f"ws{url.removeprefix('http')}ws?watch=1", max_size=None, proxy=None) as table:
        for message in table:
            told = json.loads(message)
            line = line_of(told, words) if told["type"] == "view" else last
            if line != last:
                last, shown = line, shown + 1
                show(line, place)
            if most and shown >= most:
                break
    return shown


def main() -> None:
    """Follow a table, also across its restarts."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("url", nargs="?", default="http://127.0.0.1:8700/")
    parser.add_argument("--language", default="en", choices=("en", "ja"))
    parser.add_argument("--html", type=Path)
    parser.add_argument("--lines", type=int, default=0, help="number of lines after which it ends")
    wish = parser.parse_args()
    left = wish.lines
    while True:
        try:
            words = Words(wish.url, wish.language)
            left -= follow(wish.url, words, wish.html, left)
        except (OSError, WebSocketException):
            pass
        if wish.lines and left <= 0:
            return
        time.sleep(2)  # it may be restarting; nothing tells us when its page is back


if __name__ == "__main__":
    main()
