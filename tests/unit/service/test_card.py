"""A card that asks nothing: what its text says, whoever wrote it and with what."""

from __future__ import annotations

import ctypes
import ctypes.util
import os
import pwd
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory
from types import SimpleNamespace

import pytest
from each import each
from hypothesis import given
from hypothesis import strategies as st
from lumiban.service import card
from lumiban.service.card import CONNECTION, KEYS, NAME, NOTES, PASSWORD, SSID
from places import ROOT

FOLDER = ROOT / "packaging" / "card"
TEMPLATE = (FOLDER / NAME).read_text("utf-8")
GLIB = ctypes.util.find_library("glib-2.0")
PRINTABLE = st.characters(min_codepoint=32, max_codepoint=0x2FFF, exclude_categories=["C", "Z"])


class System:
    """A root with a boot partition, on which a card is carried out."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "root"
        self.boot = folder / "boot"
        for path in (self.root / "usr/share/zoneinfo/Europe", self.boot, self.root / "etc"):
            path.mkdir(parents=True)
        (self.root / "usr/share/zoneinfo/Europe/Berlin").write_bytes(b"TZif2")
        (self.root / "etc/hosts").write_text("127.0.0.1\tlocalhost\n127.0.1.1\traspberrypi\n")
        (self.boot / "config.txt").write_text("dtparam=audio=on\r\n")

    def start(self, text: bytes) -> int:
        (self.boot / NAME).write_bytes(text)
        return card.main([str(self.boot)], self.root)

    def file(self, path: str) -> str:
        return (self.root / path).read_text("utf-8")


@pytest.fixture
def system(tmp_path: Path) -> System:
    return System(tmp_path)


def written(**values: str) -> str:
    """The template as somebody has filled it in."""
    text = TEMPLATE
    for key, value in values.items():
        old = next(line for line in text.splitlines() if line.startswith(f"LUMIBAN_{key}="))
        text = text.replace(old, f"LUMIBAN_{key}={value}")
    return text


WISHES = {
    "HOSTNAME": "table-2",
    "WIFI_SSID": "Tom & Ann; #2's",
    "WIFI_PASSWORD": "Pa$$word!123",
    "WIFI_COUNTRY": "de",
    "TIMEZONE": "Europe/Berlin",
}


@pytest.mark.parametrize(
    ("ends", "encoding"),
    [
        ("\n", "utf-8"),
        ("\r\n", "utf-8"),
        ("\r\n", "utf-8-sig"),
        ("\r\n", "utf-16"),
        ("\r", "utf-8"),
    ],
)
def test_a_card_that_any_editor_has_written_sets_up_the_same_system(
    system: System, ends: str, encoding: str
) -> None:
    text = written(**WISHES).replace("\n", ends)
    assert system.start(text.encode(encoding)) == 0
    assert system.file("etc/hostname") == "table-2\n"
    assert system.file("etc/hosts") == "127.0.0.1\tlocalhost\n127.0.1.1\ttable-2\n"
    assert str((system.root / "etc/localtime").readlink()) == "/usr/share/zoneinfo/Europe/Berlin"
    wifi = system.file(CONNECTION)
    assert f"ssid={';'.join(map(str, WISHES['WIFI_SSID'].encode()))};\n" in wifi
    assert "psk=Pa$$word!123\n" in wifi
    assert (system.root / CONNECTION).stat().st_mode & 0o777 == 0o600
    assert "regdom=DE" in system.file("etc/modprobe.d/lumiban-wifi.conf")
    assert not (system.boot / NOTES).exists()
    kept = card.read((system.boot / NAME).read_text("utf-8")).values
    assert kept.pop(PASSWORD) == ""
    wanted = {f"LUMIBAN_{key}": value for key, value in WISHES.items() if key != "WIFI_PASSWORD"}
    assert {key: value for key, value in kept.items() if value} == wanted, "all else stays"


def test_the_template_as_it_comes_sets_up_a_machine_without_wi_fi(system: System) -> None:
    assert system.start(TEMPLATE.encode()) == 0
    assert system.file("etc/hostname") == "lumiban\n"
    assert not (system.root / CONNECTION).exists()
    assert {line.split("=")[0] for line in TEMPLATE.splitlines() if line[:1] == "L"} == set(KEYS)


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("LUMIBAN_HOST=table", "did you mean LUMIBAN_HOSTNAME?"),
        ("COLOUR=red", "there is no COLOUR"),
        ("hello", "no KEY=value"),
        ("LUMIBAN_WIFI_SSID=" + "long " * 9, "32 bytes"),
        ("LUMIBAN_WIFI_PASSWORD=short", "8 to 63"),
        ("LUMIBAN_WIFI_PASSWORD=long enough", "without LUMIBAN_WIFI_SSID"),
        ("LUMIBAN_TIMEZONE=../../etc/passwd", "no such zone"),
    ],
)
def test_what_is_odd_is_written_down_beside_the_file_and_all_else_is_done(
    system: System, line: str, says: str
) -> None:
    before = f"LUMIBAN_TIMEZONE=Europe/Berlin\r\n{line}\r\n".encode()
    assert system.start(before) == 1
    assert says in (system.boot / NOTES).read_text("utf-8")
    assert (system.boot / NAME).read_bytes() == before, "the file stays as it is"
    assert system.file("etc/hostname") == "lumiban\n"
    if "TIMEZONE" not in line:
        assert (system.root / "etc/localtime").is_symlink()
    assert not (system.root / CONNECTION).exists()


@each(
    ("key", "right", "wrong"),
    [
        ("HOSTNAME", ("a", "table-2", "a" * 63), ("a" * 64, "-a", "a-", "a.b")),
        ("WIFI_SSID", ("x" * 32, "é" * 16), ("x" * 33, "é" * 17, "a\tb")),
        ("WIFI_PASSWORD", ("a" * 8, "a" * 63, "0aF" * 21 + "b"), ("a" * 7, "g" * 64, "é" * 8)),
        ("WIFI_COUNTRY", ("DE", "jp"), ("D", "DEU", "D1")),
        ("TIMEZONE", ("Europe/Berlin",), ("Europe", "/Europe/Berlin", "Europe/../Europe/Berlin")),
        ("SSH_KEY", ("ssh-ed25519 AAAA x", "sk-ssh-ed25519@openssh.com AA="), ("AAAA", "ssh-rsa")),
    ],
)
def test_of_each_line_what_can_be_is_taken_and_what_cannot_is_left_out_and_told(
    key: str, right: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    with TemporaryDirectory() as folder:
        (Path(folder) / "Europe").mkdir()
        (Path(folder) / "Europe/Berlin").touch()
        name = f"LUMIBAN_{key}"
        for value in (*right, *wrong):
            told = card.read(
                f"# mine\n\n {name} = {value}\nLUMIBAN_WIFI_SSID=home\n"
                if key != "WIFI_SSID"
                else f"export {name}='{value}'\n"
            )
            assert told.values[name] == value
            card.check(told, Path(folder))
            is_right = value in right
            assert (name in told.values, told.odd == []) == (is_right, is_right), value
            if not is_right:
                assert value not in "".join(told.odd) or key != "WIFI_PASSWORD", "it is secret"


def test_a_password_that_cannot_be_opens_no_network_without_one_and_is_never_shown(
    system: System, capsys: pytest.CaptureFixture[str]
) -> None:
    assert system.start(b"LUMIBAN_WIFI_SSID=home\nLUMIBAN_WIFI_PASSWORD=secret\n") == 1
    assert not (system.root / CONNECTION).exists()
    assert "secret" not in (system.boot / NOTES).read_text() + capsys.readouterr().out


def test_a_file_that_is_no_text_or_is_missing_leaves_a_table_that_plays(system: System) -> None:
    assert system.start(b"LUMIBAN_HOSTNAME=caf\xe9\n") == 1
    assert "UTF-8" in (system.boot / NOTES).read_text("utf-8")
    (system.boot / NAME).unlink()
    assert card.main([str(system.boot)], system.root) == 0
    assert not (system.boot / NOTES).exists(), "it is of an earlier start"


def test_a_wi_fi_that_has_changed_is_taken_over_by_another_first_start(system: System) -> None:
    assert system.start(written(**WISHES).encode()) == 0
    again = written(WIFI_SSID="new", WIFI_PASSWORD="another one")
    assert system.start(again.encode()) == 0
    assert "psk=another\\sone\n" in system.file(CONNECTION)
    assert system.file("etc/hosts").count("127.0.1.1") == 1


def test_pins_are_set_up_once_and_each_model_s_clock_in_its_own_section(system: System) -> None:
    system.start(b"")
    assert "core_freq" not in (system.boot / "config.txt").read_text(), "a board on USB needs none"
    (system.boot / "lumiban.toml").write_bytes(b'\xef\xbb\xbf[board]\r\nwhere = "gpio"\r\n')
    system.start(b"")
    once = (system.boot / "config.txt").read_text()
    system.start(b"")
    assert (system.boot / "config.txt").read_text() == once
    assert "[pi4]\ncore_freq=500\ncore_freq_min=500\n" in once
    assert "[pi3]\ncore_freq=250\n" in once
    assert once.count("dtoverlay=gpio-shutdown") == 1
    assert once.rstrip().endswith("[all]"), "what is added later counts for every model"


@pytest.mark.parametrize(("users", "at"), [((0, 1000), "anna"), ((0,), "chief")])
def test_the_key_is_the_first_user_s_or_root_s_where_the_system_has_none(
    system: System, monkeypatch: pytest.MonkeyPatch, users: tuple[int, ...], at: str
) -> None:
    def person(uid: int) -> SimpleNamespace:
        if uid not in users:
            raise KeyError(uid)
        home = f"/home/{'anna' if uid else 'chief'}"
        return SimpleNamespace(pw_dir=home, pw_uid=os.getuid(), pw_gid=os.getgid())

    monkeypatch.setattr(pwd, "getpwuid", person)
    key = "ssh-ed25519 AAAAC3Nz anna@home"
    assert system.start(f"LUMIBAN_SSH_KEY={key}\r\n".encode()) == 0
    keys = system.root / "home" / at / ".ssh" / "authorized_keys"
    assert list(system.root.rglob("authorized_keys")) == [keys]
    assert keys.read_text() == key + "\n"
    assert keys.stat().st_mode & 0o777 == 0o600
    assert keys.parent.stat().st_mode & 0o777 == 0o700


# What NetworkManager reads: its keyfiles are GLib's.


PLAIN = (
    ("connection", "id", "lumiban-card"), ("connection", "type", "wifi"),
    ("wifi-security", "key-mgmt", "wpa-psk"),
    ("ipv4", "method", "auto"), ("ipv6", "method", "auto"),
)  # fmt: skip
"""What each Wi-Fi with a password says by nm-settings-keyfile(5): section, key, value."""


def glib_reads(text: str) -> tuple[bytes, str]:
    """The name as a list of bytes, and the password, as GLib's reader has them, who finds the
    plain words too."""
    glib = ctypes.CDLL(GLIB)
    for name in ("g_key_file_new", "g_key_file_get_string", "g_key_file_get_integer_list"):
        getattr(glib, name).restype = ctypes.c_void_p
    file = ctypes.c_void_p(glib.g_key_file_new())
    data = text.encode()
    assert glib.g_key_file_load_from_data(file, data, ctypes.c_size_t(len(data)), 0, None)
    count = ctypes.c_size_t()
    told = glib.g_key_file_get_integer_list(file, b"wifi", b"ssid", ctypes.byref(count), None)
    assert told
    numbers = ctypes.cast(told, ctypes.POINTER(ctypes.c_int))[: count.value]

    def read(section: str, key: str) -> str:
        word = glib.g_key_file_get_string(file, section.encode(), key.encode(), None)
        assert word, key
        return ctypes.string_at(word).decode()

    assert [(section, key, read(section, key)) for section, key, _ in PLAIN] == [*PLAIN]
    return bytes(numbers), read("wifi-security", "psk")


@pytest.mark.skipif(GLIB is None, reason="there is no GLib here")
@given(
    name=st.text(st.one_of(PRINTABLE, st.just(" ")), min_size=1, max_size=10),
    password=st.text(st.characters(min_codepoint=32, max_codepoint=126), min_size=8, max_size=63),
    quote=st.sampled_from(("", "'", '"')),
    end=st.sampled_from(("\n", "\r\n")),
)
def test_the_reader_of_networkmanager_gets_back_what_the_card_says(
    name: str, password: str, quote: str, end: str
) -> None:
    if not quote:  # what blanks or quotes begin and end is written between quotes
        name, password = name.strip(), password.strip()
        quote = (
            "" if name and len(password) >= 8 and not {name[0], password[0]} & set("'\"") else "'"
        )
        name, password = name or "x", password.ljust(8, "x")
    text = f"{SSID}={quote}{name}{quote}{end}{PASSWORD}={quote}{password}{quote}{end}"
    told = card.read(card.size_limits.from_hand(text.encode()))
    assert not told.odd
    assert glib_reads(card.connection(told.values)) == (name.encode(), password)


@pytest.mark.process
def test_the_first_run_is_a_shell_s_and_what_it_calls_is_in_the_package(tmp_path: Path) -> None:
    script = FOLDER / "firstrun.sh"
    assert subprocess.run(["sh", "-n", script], check=False).returncode == 0
    text = script.read_text("utf-8")
    assert f"-m {card.__name__} " in text
    assert "lumiban.env" not in text.replace("# What lumiban.env says", ""), "it is never sourced"
