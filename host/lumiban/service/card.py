"""First start of a card: the settings of `lumiban.env` on its boot partition, applied to the
system.

    python3 -m lumiban.service.card /boot/firmware

The file is edited on any computer: a line is KEY=value, and the value is all that follows, whatever
letters it has. Nothing of it is run. What is not understood is left out, and written down beside
the file, `lumiban.env.txt`; the file stays as it is. When all was understood it stays too, only
without the Wi-Fi's password: any computer can read the card.
"""

from __future__ import annotations

import pwd
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

from lumiban.boards.gpio.config_txt import CARD_SECTIONS, STEADY
from lumiban.system import size_limits

NAME, NOTES, SETTINGS = "lumiban.env", "lumiban.env.txt", "lumiban.toml"
KEYS = tuple(
    f"LUMIBAN_{key}"
    for key in (
        "HOSTNAME", "WIFI_SSID", "WIFI_PASSWORD", "WIFI_COUNTRY", "TIMEZONE", "SSH_KEY",
    )
)  # fmt: skip
HOSTNAME, SSID, PASSWORD, COUNTRY, TIMEZONE, SSH_KEY = KEYS
USUAL_NAME = "lumiban"
NAMED_BY_NOBODY = ("", "raspberrypi", "localhost", "debian")
FIRST_USER = 1000
CONNECTION = "etc/NetworkManager/system-connections/lumiban-card.nmconnection"
BUTTON = "dtoverlay=gpio-shutdown"


@dataclass
class Card:
    """Settings of a card: valid values by key, and a sentence for each invalid one."""

    values: dict[str, str] = field(default_factory=dict)
    odd: list[str] = field(default_factory=list)


def read(text: str) -> Card:
    r"""Parse the lines of a `lumiban.env`; quotes around a value are not part of it.

    >>> read("LUMIBAN_WIFI_SSID=Tom & Ann; #2\nLUMIBAN_WIFI_PASSWORD='Pa$$word!123'\n").values
    {'LUMIBAN_WIFI_SSID': 'Tom & Ann; #2', 'LUMIBAN_WIFI_PASSWORD': 'Pa$$word!123'}
    >>> read("LUMIBAN_HOST=table").odd
    ['line 1: there is no LUMIBAN_HOST; did you mean LUMIBAN_HOSTNAME?']
    """
    card = Card()
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, equals, value = line.partition("=")
        key = key.strip().removeprefix("export ").strip()
        if not equals:
            card.odd.append(f"line {number}: no KEY=value: {line.strip()[:40]}")
        elif key not in KEYS:
            near = get_close_matches(key, KEYS, 1)
            hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(KEYS)}"
            card.odd.append(f"line {number}: there is no {key[:40]}; {hint}")
        else:
            card.values[key] = _unquoted(value.strip())
    return card


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def check(card: Card, zones: Path) -> None:
    """Remove impossible values from a card, each with a sentence; `zones` is the folder of time
    zones."""
    for key, is_right, what in (
        (HOSTNAME, _is_host_name, "a machine's name has letters, digits and hyphens, 63 at most"),
        (SSID, _is_ssid, "a Wi-Fi's name has at most 32 bytes of UTF-8"),
        (
            PASSWORD,
            _is_password,
            "a Wi-Fi's password has 8 to 63 signs of ASCII, or 64 hex digits",
        ),
        (COUNTRY, re.compile("[A-Za-z]{2}").fullmatch, "a country is two letters, such as DE"),
        (
            TIMEZONE,
            lambda zone: _is_zone(zone, zones),
            "there is no such zone; Europe/Berlin is one",
        ),
        (SSH_KEY, _is_key, "a public key begins with its kind, such as ssh-ed25519"),
    ):
        value = card.values.get(key, "")
        if value and not is_right(value):
            shown = "" if key == PASSWORD else f" ({value[:40]})"
            card.odd.append(f"{key}{shown}: {what}")
            del card.values[key]
    if SSID not in card.values and card.values.get(PASSWORD):
        card.odd.append(f"{PASSWORD} without {SSID}: no Wi-Fi is set up")
    # Without the password that was meant it would be taken for an open network.
    if SSID in card.values and any(one.startswith(PASSWORD) for one in card.odd):
        del card.values[SSID]


def _is_host_name(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?", name) is not None


def _is_ssid(name: str) -> bool:
    return len(name.encode()) <= 32 and name.isprintable()


def _is_password(word: str) -> bool:
    is_phrase = 8 <= len(word) <= 63 and word.isascii() and word.isprintable()
    return is_phrase or re.fullmatch("[0-9a-fA-F]{64}", word) is not None


def _is_zone(zone: str, zones: Path) -> bool:
    return ".." not in zone and not zone.startswith("/") and (zones / zone).is_file()


def _is_key(key: str) -> bool:
    return re.match(r"(ssh|ecdsa|sk)-[a-z0-9@.-]+ [A-Za-z0-9+/=]+", key) is not None


def connection(values: Mapping[str, str]) -> str:
    r"""Wi-Fi connection as a NetworkManager keyfile: the name as its bytes, the password escaped
    for GLib's reader (nm-settings-keyfile(5), GKeyFile).

    >>> print(connection({SSID: "a b", PASSWORD: "back\\slash 1"}).partition("[ipv4]")[0])
    [connection]
    id=lumiban-card
    type=wifi
    [wifi]
    ssid=97;32;98;
    [wifi-security]
    key-mgmt=wpa-psk
    psk=back\\slash\s1
    <BLANKLINE>
    """
    name = "".join(f"{byte};" for byte in values[SSID].encode())
    lines = ["[connection]", "id=lumiban-card", "type=wifi", "[wifi]", f"ssid={name}"]
    if password := values.get(PASSWORD, ""):
        escaped = password.replace("\\", "\\\\").replace(" ", "\\s")
        lines += ["[wifi-security]", "key-mgmt=wpa-psk", f"psk={escaped}"]
    lines += ["[ipv4]", "method=auto", "[ipv6]", "method=auto"]
    return "\n".join(lines) + "\n"


def put(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file of the system, and its folders."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8", newline="\n")
    path.chmod(mode)


def carry_out(card: Card, root: Path) -> None:
    """Apply the settings of a card to the system below `root`."""
    values = card.values
    hostname = root / "etc/hostname"
    own = hostname.read_text("utf-8").strip() if hostname.exists() else ""
    # A machine that somebody has named keeps its name, unless the card says another.
    if name := values.get(HOSTNAME) or (USUAL_NAME if own in NAMED_BY_NOBODY else ""):
        put(hostname, f"{name}\n")
        hosts = root / "etc/hosts"
        hosts_text = hosts.read_text("utf-8") if hosts.exists() else "127.0.0.1\tlocalhost\n"
        lines = [line for line in hosts_text.splitlines() if not line.startswith("127.0.1.1")]
        put(hosts, "\n".join([*lines, f"127.0.1.1\t{name}"]) + "\n")
    if zone := values.get(TIMEZONE):
        (root / "etc/localtime").unlink(missing_ok=True)
        (root / "etc/localtime").symlink_to(f"/usr/share/zoneinfo/{zone}")
    if values.get(SSID):
        put(root / CONNECTION, connection(values), 0o600)
    if country := values.get(COUNTRY, "").upper():
        option = f"options cfg80211 ieee80211_regdom={country}\n"
        put(root / "etc/modprobe.d/lumiban-wifi.conf", option)
    if key := values.get(SSH_KEY):
        _let_in(key, root)


def _let_in(key: str, root: Path) -> None:
    """Authorize a key for the first user of the image; for root where there is none."""
    try:
        person = pwd.getpwuid(FIRST_USER)
    except KeyError:
        person = pwd.getpwuid(0)
    folder = root / person.pw_dir.lstrip("/") / ".ssh"
    put(folder / "authorized_keys", f"{key}\n", 0o600)
    folder.chmod(0o700)
    for path in (folder, folder / "authorized_keys"):
        shutil.chown(path, person.pw_uid, person.pw_gid)


def is_on_header(settings: Path) -> bool:
    """True if the card's `lumiban.toml` puts its board on the Pi's own header."""
    try:
        document = size_limits.from_toml(size_limits.text(settings))
    except (OSError, size_limits.Unreadable):  # the service says what is wrong with it
        return False
    board = document.get("board")
    return isinstance(board, dict) and board.get("where") == "gpio"


def set_up_pins(config: Path, *, has_lights: bool) -> None:
    """Add to `config.txt` a power-off button, and the fixed core clock that lights on the header
    need; on models up to the Pi 3 it costs some speed."""
    if not config.exists():
        return
    config_text = size_limits.text(config)
    more = []
    if has_lights and "core_freq" not in config_text:
        for model, generation in CARD_SECTIONS.items():
            more += [f"[{model}]", *STEADY[generation]]
    if BUTTON not in config_text:
        more += ["[all]", BUTTON]
    if more:
        config.write_text(
            config_text.rstrip("\n") + "\n\n" + "\n".join([*more, "[all]"]) + "\n", "utf-8"
        )


def without_secret(text: str) -> str:
    """Content of the file without the Wi-Fi password."""
    done = (
        f"{PASSWORD}=\n# taken over at the first start, and taken out: any computer reads this card"
    )
    return re.sub(rf"^[^\S\n]*(export )?{PASSWORD}[^\S\n]*=.*$", done, text, flags=re.MULTILINE)


def main(words: Sequence[str], root: Path = Path("/")) -> int:
    """Apply the card's settings; 1 when one of them was invalid."""
    boot = Path(words[0])
    file = boot / NAME
    card, text = Card(), ""
    try:
        text = size_limits.text(file)
        card = read(text)
    except FileNotFoundError:
        pass
    except size_limits.Unreadable as error:
        card.odd.append(f"the file {error}: save it as UTF-8, and as plain text")
    except OSError as error:
        card.odd.append(f"the file cannot be read: {error}")
    check(card, root / "usr/share/zoneinfo")
    carry_out(card, root)
    set_up_pins(boot / "config.txt", has_lights=is_on_header(boot / SETTINGS))
    if card.odd:
        head = f"Not all of {NAME} was understood. What is named here was left out:"
        again = f"Correct {NAME}, run prepare.sh on the card again, and start the Pi."
        put(boot / NOTES, "\r\n".join([head, "", *card.odd, "", again, ""]))
        print("\n".join(card.odd))
        return 1
    (boot / NOTES).unlink(missing_ok=True)
    if card.values.get(PASSWORD):
        put(file, without_secret(text))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
