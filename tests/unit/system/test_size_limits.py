"""Readers of JSON and TOML: whatever stands in a text, it is a value that can be used and written,
or one error of a short sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from each import each
from hypothesis import example, given
from hypothesis import strategies as st
from lumiban.system.size_limits import (
    MAX_DEEP,
    MAX_DIGITS,
    Unreadable,
    from_hand,
    from_json,
    from_toml,
)

NUMBERS = st.builds(
    "".join,
    st.tuples(
        st.sampled_from(["", "-", "+", "0x", "0b"]),
        st.sampled_from(["1", "9" * 250, "f" * 300, "9" * 300, "9" * 301, "9" * 5000, "1_0"]),
        st.sampled_from(["", ".5", "e9", "e999", ".", "e" + "9" * 5000]),
    ),
)
WORDS = st.sampled_from(
    ["nan", "NaN", "-Infinity", "inf", "true", "null", "1979-05-27T07:32:00Z", "0000-00-00"]
)
TEXTS = st.sampled_from(
    [
        '""',
        '"a"',
        '"é"',
        '"\\u0000"',
        '"\\ud800"',
        '"\\ud83d\\ude00"',
        '"\0"',
        '"\\',
        "'",
        '"""',
        '"[[["',
    ]
)
MARKS = st.sampled_from(
    [*"[]{},:=.\n# ", "[" * 70, "]" * 70, "a." * 70, "[[", "]]", "a = ", '{"a":']
)
PIECES = st.lists(NUMBERS | WORDS | TEXTS | MARKS | st.text(max_size=4), max_size=12)


def usable(value: Any, deep: int = 0) -> None:
    """Whatever a program does with a value it can do with this one."""
    assert deep <= MAX_DEEP
    if isinstance(value, dict | list):
        for one in value:
            usable(one, deep + 1)
        for one in value.values() if isinstance(value, dict) else ():
            usable(one, deep + 1)
    elif isinstance(value, str):
        value.encode()
    elif isinstance(value, int):
        assert len(str(abs(value))) <= MAX_DIGITS
        float(value)
    else:
        repr(value)


def refusal(read: Callable[[str], Any], text: str) -> tuple[str, int]:
    """What is said of a text, and of which line; "" where it is read."""
    try:
        read(text)
    except Unreadable as error:
        return str(error), error.line
    return "", 0


def refused(error: Unreadable) -> None:
    told = str(error)
    assert told.startswith(("is not ", "has "))
    assert len(told) < 300
    assert told.isprintable()
    assert error.line >= 0


@given(st.binary(max_size=40) | PIECES.map(lambda one: "".join(one).encode("utf-8", "replace")))
@example(b"9" * 5000)
@example(b'{"a": NaN}')
@example(b'"\xed\xa0\x80"')
@example(b'"\\ud800"')
@example(b"[" * 100_000)
@example(b"\xff\xfe[\0]\0")
@example(b"")
def test_json_is_a_value_that_can_be_used_or_one_error(data: bytes) -> None:
    for given_as in (data, data.decode("utf-8", "replace")):
        try:
            value = from_json(given_as)
        except Unreadable as error:
            refused(error)
        else:
            usable(value)


@given(st.text(max_size=40) | PIECES.map("".join) | PIECES.map(lambda one: "a = " + "".join(one)))
@example("a = " + "9" * 5000)
@example("a = 0x" + "f" * 50_000)
@example("a = " + "[" * 100_000)
@example("a." * 20_000 + "a = 1")
@example("[" + '"a".' * 20_000 + "a]")
@example("[[" + "a" * 5000 + "]]\n[" + "a" * 5000 + "]")
@example("a = 0000-00-00")
def test_toml_is_a_value_that_can_be_used_or_one_error(text: str) -> None:
    try:
        value = from_toml(text)
    except Unreadable as error:
        refused(error)
    else:
        usable(value)


@given(st.binary(max_size=40))
@example(b"\xff\xfe\x00")
def test_bytes_of_any_editor_are_a_text_or_one_error(data: bytes) -> None:
    try:
        text = from_hand(data)
    except Unreadable as error:
        refused(error)
    else:
        assert "\r" not in text


@given(
    st.recursive(
        st.none()
        | st.booleans()
        | st.integers(-(2**64), 2**64)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(st.characters(exclude_categories=["Cs"])),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
        max_leaves=20,
    )
)
def test_what_we_write_is_read_as_it_was(value: Any) -> None:
    for is_plain in (True, False):
        written = json.dumps(value, ensure_ascii=is_plain)
        assert from_json(written.encode()) == from_json(written) == value


@each(
    ("text", "told"),
    [
        ("[" * 64 + "]" * 64, ""),
        ("[" * 65 + "]" * 65, "has more than 64 brackets"),
        ('["' + "[" * 100 + '"]', ""),
        ('["\\"' + "[" * 100 + '\\\\"]', ""),
        ('["\\\\",' + "[" * 70 + "]" * 70 + "]", "has more than 64 brackets"),
        ("[]," * 10, "is not JSON: Extra data (at line 1, column 3)"),
        ('{"a":' * 70 + "1" + "}" * 70, "has more than 64 brackets"),
        ("[" + "7" * MAX_DIGITS + "]", ""),
        ("[" + "7" * (MAX_DIGITS + 1) + "]", "has a number of more than 300 digits"),
        ("[" + "7" * 5000 + "]", "has a number of more than 300 digits"),
        ("[Infinity]", "is not JSON: it has Infinity"),
        ('"\\ud83d\\ude00"', ""),
        ('"\\ude00"', "has half a letter"),
    ],
)
def test_what_is_too_much_in_json_is_named(text: str, told: str) -> None:
    said, _ = refusal(from_json, text)
    assert said.startswith(told)
    assert bool(said) == bool(told)


@each(
    ("text", "told", "line"),
    [
        ("a = 1\nb = = 2", "is not TOML: Invalid value (at line 2, column 5)", 2),
        ("a = 1\nb = [", "is not TOML: ", 2),
        ("a = " + "9" * 5000, "has a number of more than 300 digits", 0),
        ("a.b." * 40 + "c = 1", "has more than 64 brackets", 0),
        ("\n".join(f"a{'.a' * 3}{n} = {n}.5" for n in range(100)), "", 0),
        ("a = [" + "1.5, " * 200 + "]", "", 0),
    ],
)
def test_what_is_too_much_in_toml_is_named_with_its_line(text: str, told: str, line: int) -> None:
    said, at = refusal(from_toml, text)
    assert said.startswith(told)
    assert (bool(said), at) == (bool(told), line)
