"""The owner's token: it lets a page on this machine do what the service's socket lets its user do.

A reader of it is the owner: it stands in the link that the service prints, behind the `#`, which
no browser sends anywhere, and in a file that only the service's user and root can read. It is
another one at each start, so that one that was copied is worth nothing after the next.
"""

from __future__ import annotations

import hmac
import os
import secrets
from pathlib import Path

from lumiban.system.service_socket import own_folder

FILE = "owner.token"
"""Beside the service's socket."""
TOKEN_BYTES = 18
"""144 bits, which are 24 characters."""


def new_token() -> str:
    """Make a token."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def write(state: Path, token: str) -> None:
    """Put the token where its owner finds it; OSError."""
    put(own_folder(state) / FILE, token + "\n")


def put(path: Path, text: str) -> None:
    """Write a new file that only our own user and root can read (mode 600); OSError."""
    path.unlink(missing_ok=True)
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
    with os.fdopen(number, "w") as file:
        file.write(text)


def read(state: Path) -> str:
    """Return the token of the service that keeps its state there; "" where there is none."""
    try:
        return (own_folder(state) / FILE).read_text("ascii").strip()
    except (OSError, UnicodeError):
        return ""


def is_shown(token: str, given: str) -> bool:
    """True if `given` is the token; nobody can show one that is "".

    >>> is_shown("s3cret", "s3cret"), is_shown("s3cret", "S3cret"), is_shown("", "")
    (True, False, False)
    """
    return bool(token) and hmac.compare_digest(token.encode(), given.encode("utf-8", "replace"))


def link(url: str, token: str) -> str:
    """The owner's link to a page.

    >>> link("http://127.0.0.1:8700/", "s3cret"), link("http://127.0.0.1:8700/", "")
    ('http://127.0.0.1:8700/#owner=s3cret', 'http://127.0.0.1:8700/')
    """
    return f"{url}#owner={token}" if token else url
