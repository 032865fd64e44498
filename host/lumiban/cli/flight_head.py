"""The head of a flight recording: the table at its beginning, written and made again."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from lumiban.boards import profile as profiles
from lumiban.boards.profile import Profile
from lumiban.errors import UsageError
from lumiban.games.base import Game
from lumiban.games.registry import loading
from lumiban.records.flight_words import plain
from lumiban.table import resume
from lumiban.table.journal import SUFFIX
from lumiban.table.session import Session
from lumiban.table.types import Settings


def head_of(
    profile_name: str,
    settings: Settings,
    *,
    now_us: int,
    hint: str,
    session: int,
    link_resume: tuple[int, int] | None,
    table: Mapping[str, Any],
) -> dict[str, Any]:
    """The head; `table` is `of_new` or `of_resumed`, `session` and `link_resume` are the Link's.

    A profile from a file goes in with its text.
    """
    told = {"profile": profile_name}
    if profile_name not in profiles.names():
        path = Path(profile_name).expanduser()
        told = {"profile": path.stem, "profile_text": path.read_text("utf-8")}
    return {
        "now_us": now_us,
        "hint": hint,
        "session": session,
        "resume": None if link_resume is None else list(link_resume),
        "settings": plain(asdict(settings)),
        **told,
        **table,
    }


def of_new(game: Game, seats: Sequence[str], seed: int, journal_name: str) -> dict[str, Any]:
    """A table that begins a game."""
    return {
        "game": game.slug,
        "options": dict(game.options),
        "digest": game.digest,
        "seats": list(seats),
        "seed": seed,
        "journal_name": journal_name,
    }


def of_resumed(journal: Path) -> dict[str, Any]:
    """A table that goes on from this journal, which goes in whole; OSError."""
    name = journal.name.removesuffix(SUFFIX)
    return {"journal": journal.read_text("utf-8"), "journal_name": name}


def profile_of(head: Mapping[str, Any]) -> Profile:
    """The board's profile; ProfileError."""
    if "profile_text" in head:
        return profiles.read(str(head["profile_text"]), f"{head['profile']}.toml")
    return profiles.load(str(head["profile"]))


def session_of(head: Mapping[str, Any], profile: Profile, rules: str = "") -> Session:
    """The session as it was when recording began; UsageError, GameError, JournalError.

    A game of somebody's own comes from the file `rules`, NotNamed without.
    """
    known = {one.name for one in fields(Settings)}
    told: dict[str, Any] = {
        k: tuple(v) if isinstance(v, list) else v for k, v in head["settings"].items()
    }
    if not told.keys() <= known:
        raise UsageError("the recording has settings unknown to this lumiban: update it")
    settings = Settings(**told)
    hint, now_us = str(head["hint"]), int(head["now_us"])
    if "journal" in head:
        with tempfile.TemporaryDirectory(prefix="lumiban-replay-") as folder:
            # A recording may come from anybody: its name leads nowhere but into this folder.
            name = Path(str(head["journal_name"])).name or "game"
            path = Path(folder) / (name + SUFFIX)
            path.write_text(str(head["journal"]), "utf-8")
            back = resume.resume(path, load=loading(rules))
            return Session.resumed(back, profile, hint=hint, settings=settings, now_us=now_us)
    game = loading(rules)(str(head["game"]), **head["options"])
    if game.digest != head.get("digest", ""):
        raise UsageError(f"{game.slug} has changed since this was recorded")
    return Session(
        game,
        profile,
        [str(who) for who in head["seats"]],
        hint=hint,
        seed=int(head["seed"]),
        settings=settings,
        journal_name=str(head["journal_name"]),
        now_us=now_us,
    )
