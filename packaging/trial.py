"""A release tried in Debian roots, without a network: `./run package --try FOLDER`.

    by hand      the commands of the folder's README as somebody types them who is not root, from
                 the sums to the last rm: demo and play are looked at in Chromium and played,
                 a board tests itself, the suite runs; nothing is left
    --before     the state that an older version leaves is played on by this one, and by that again
    as a service the README's package, booted under systemd-nspawn: a person plays at a simulated
                 board; every process of the table is killed at once and the game goes on; powered
                 off and booted again; removed and purged
    --whole      updated and put back, signed and not, a broken version taken back, an update cut at
                 three moments, power cut ten times

A root is a tar (`--root`, several may follow), or this machine's own system, read only, under a
folder in memory. Root is needed, and systemd-container. Tars of empty systems are made so:

    mmdebstrap --variant=minbase --include=python3,python3-venv,systemd-sysv,procps bookworm 12.tar

For another machine's (`--arch=arm64`, with qemu-user-static) the service is started by hand: an
emulated system does not boot.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

PATIENCE_S = 240.0
STATE = "var/lib/lumiban"
BROUGHT = "srv"
"""Where the trial puts packages, in its own root: nothing clears that at a boot."""
RELEASE = "mnt"
"""Where the release is seen there."""
READY = f"{BROUGHT}/ready"
ME, HOME = "somebody", "/home/somebody"
PAGE = "http://127.0.0.1:8700/"
OWN = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
"""The environment of what runs there: nothing of this machine's."""
MOUNTS = Path("/proc/self/mounts")
SETTINGS = (
    '[board]\nwhere = "sim"\nprofile = "hex5"\n[game]\nsecond = "bot:gentle"\nlobby = "off"\n'
)
PLAY = """
import asyncio, json, sys
sys.path.append("/usr/lib/lumiban/site")
from websockets.asyncio.client import connect

told = {}

async def main():
    global told
    async with connect("ws://127.0.0.1:8700/ws?tab=trial", max_size=None, proxy=None) as line:
        moved = False
        async for raw in line:
            told = json.loads(raw)
            if told["type"] == "error":
                sys.exit("refused: " + raw)
            if told["type"] != "view" or told["link"] != "up":
                continue
            if len(told["moves"]) >= START + 2 or told["outcome"]:
                for word in WORDS:
                    await line.send(json.dumps(word))
                    await asyncio.sleep(2)
                print(len(told["moves"]))
                return
            if not moved and told["to_move"] == [0] and told["legal"]["place"]:
                moved = True
                name = told["game"]["names"][told["legal"]["place"][0]]
                await line.send(json.dumps({"do": "move", "side": 0, "text": name}))

try:
    asyncio.run(asyncio.wait_for(main(), 200))
except TimeoutError:
    last = {key: told.get(key) for key in ("link", "to_move", "moves", "verdict", "prompt")}
    sys.exit("no two moves in 200 s: " + json.dumps(last))
"""
RESIGN = [{"do": "word", "side": 0, "word": "resign"}, {"do": "new"}]
"""The game ends, which makes a record of it, and another begins."""
LIST = "find /etc /home /opt /usr /var -xdev"
"""All files that an installation or a program may leave."""

KILL = """
import os, pwd
own = pwd.getpwnam("lumiban").pw_uid
for name in filter(str.isdigit, os.listdir("/proc")):
    try:
        if os.stat("/proc/" + name).st_uid == own:
            os.kill(int(name), 9)
    except OSError:
        pass
"""


class TrialFailed(Exception):
    """Failure of the trial."""


class CannotTry(Exception):
    """Reason why this machine cannot boot a root of its own."""


CANNOT = 77
"""Exit code for that, as test programs have it."""


def run(*words: str | Path, **more: Any) -> str:
    """Run a program; its output. TrialFailed with what it said."""
    done = subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, check=False, **more
    )
    if done.returncode:
        raise TrialFailed(f"{' '.join(map(str, words))[:200]}:\n{done.stdout}{done.stderr}")
    out: str = done.stdout
    return out


@contextmanager
def root_of(tar: Path | None) -> Iterator[Path]:
    """A root to spoil: unpacked from a tar, or laid over this machine's own."""
    folder = Path(tempfile.mkdtemp(prefix="lumiban-trial-"))
    root = folder / "root"
    root.mkdir()
    try:
        if tar is not None:
            run("tar", "-C", root, "-xf", tar)
            yield root
            return
        try:
            run("mount", "-t", "tmpfs", "-o", "size=1g,mode=755", "tmpfs", folder)
        except TrialFailed as failed:
            raise CannotTry(str(failed)) from None
        for name in ("root", "upper", "work"):
            (folder / name).mkdir(exist_ok=True)
        layers = f"lowerdir=/,upperdir={folder}/upper,workdir={folder}/work"
        run("mount", "-t", "overlay", "overlay", "-o", layers, root)
        # Of this machine's own services none is wanted there.
        for wants in (root / "etc/systemd/system").glob("*.wants"):
            shutil.rmtree(wants)
        yield root
    finally:
        if tar is None:
            for place in (root, folder):
                subprocess.run(["umount", "-l", place], check=False, capture_output=True)
        shutil.rmtree(folder, ignore_errors=True)


def groups_folder(mounts: Path = MOUNTS) -> Path | None:
    """Folder in which control groups of the second version are made; None where the machine has
    none. Beside those of the first version they are in a folder of theirs."""
    for line in mounts.read_text("utf-8").splitlines():
        _, place, kind, *_ = line.split()
        if kind == "cgroup2":
            return Path(place)
    return None


def new_group() -> Path | None:
    """A control group for a machine; where none may be made that is said, as two trials at once
    then share that of their callers."""
    folder = groups_folder()
    if folder is None:
        tell("no control group of its own: this machine has none of the second version")
        return None
    group = folder / f"lumiban-trial-{os.getpid()}-{time.monotonic_ns()}"
    try:
        group.mkdir()
    except OSError as why:
        tell(f"no control group of its own: {why}")
        return None
    return group


def remove_group(group: Path) -> None:
    """End what still runs in a control group, and take it away; what stays is said."""
    with suppress(OSError):
        (group / "cgroup.kill").write_text("1")
    for _ in range(50):
        # The files in it are the kernel's, and go with their folder.
        for folder, _, _ in os.walk(group, topdown=False):
            with suppress(OSError):
                Path(folder).rmdir()
        if not group.exists():
            return
        time.sleep(0.1)  # its last processes are still ending, which nothing tells
    tell(f"{group} stays: processes in it do not end")


class Machine:
    """The root with the release in it and without a network: booted, or with nothing running."""

    def __init__(self, root: Path, log: Path, release: Path, *, boots: bool = True) -> None:
        self._boots, self._ready = boots, root / READY
        self._ready.unlink(missing_ok=True)
        waits = ("-a", "sh", "-c", f"touch /{READY}; exec sleep infinity")
        self._log = log.open("ab")
        self._group = new_group()
        joins = ["sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', self._group]
        self._nspawn = subprocess.Popen(
            [
                *(joins if self._group is not None else ()),
                "systemd-nspawn", "-q", "-D", root, "--register=no", "--keep-unit",
                f"--machine=lumiban{os.getpid()}", "--private-network", "--console=pipe",
                f"--bind-ro={release}:/{RELEASE}", *(("-b",) if boots else waits),
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
        )  # fmt: skip
        self.began_s = time.monotonic()
        self._leader = 0

    def enters(self, namespaces: str = "-m -p -n -i -u -r -w") -> list[str]:
        """The beginning of a command line that runs in the machine."""
        if not self._leader:
            self.until(self._find_leader, "the machine's first process")
        return ["nsenter", "-t", str(self._leader), *namespaces.split()]

    def inside(self, *words: str, check: bool = True) -> str:
        """Run a program in the machine; its output."""
        done = subprocess.run(
            [*self.enters(), *words],
            capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, env=OWN,
        )  # fmt: skip
        if check and done.returncode:
            raise TrialFailed(f"{' '.join(words)[:200]}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def types(self, command: str) -> list[str]:
        """What a shell runs for a command in the release's folder: by root what begins with sudo,
        the rest by somebody else."""
        as_root = command.startswith("sudo ")
        who = [] if as_root else ["runuser", "-u", ME, "--", "env", f"HOME={HOME}"]
        return [*who, "sh", "-c", f"cd /{RELEASE} && {command.removeprefix('sudo ')}"]

    def does(self, command: str) -> str:
        """Run a command of the README; its output. It is told, with its last line."""
        before = time.monotonic()
        said = self.inside(*self.types(command))
        last = (said.strip().splitlines() or ["-"])[-1]
        tell(f"{command}\n    {last}", time.monotonic() - before)
        return said

    @contextmanager
    def stays(self, *words: str) -> Iterator[None]:
        """Run a program that serves the page, until the page answers, and at the end end it."""
        running = subprocess.Popen(
            [*self.enters(), *words],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, env=OWN,
        )  # fmt: skip
        try:
            self.until(lambda: running.poll() is not None or self.page(), f"a page: {words[-1]}")
            yield
        finally:
            self.inside("pkill", "-INT", "-f", "bin/lumiban (demo|play|serve)", check=False)
            try:
                code = running.wait(PATIENCE_S)
            except subprocess.TimeoutExpired:
                raise TrialFailed(f"it does not end: {words[-1]}") from None
        if code not in (0, 130, -2):
            raise TrialFailed(f"ended with {code}: {words[-1]}")

    def page(self) -> str:
        """The page's text; TrialFailed where nothing answers."""
        code = f"import urllib.request as u; print(u.urlopen({PAGE!r}, timeout=20).read().decode())"
        return self.inside("/usr/bin/python3", "-c", code)

    def looks(self) -> None:
        """Open the page in this machine's Chromium, in that one's network: the board is drawn."""
        chromium = shutil.which("chromium-headless-shell")
        if chromium is None:
            return tell("not looked at: there is no chromium-headless-shell here")
        from playwright.sync_api import sync_playwright  # half a second, for this alone

        with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
            there = Path(folder) / "chromium"
            there.write_text(f'#!/bin/sh\nexec {shlex.join(self.enters("-n"))} {chromium} "$@"\n')
            there.chmod(0o755)
            browser = playwright.chromium.launch(executable_path=there, args=["--no-sandbox"])
            page = browser.new_page()
            page.set_default_timeout(1000 * PATIENCE_S)
            page.goto(PAGE)
            page.locator("[role=gridcell]").first.wait_for()
            cells, text = page.locator("[role=gridcell]").count(), page.title()
            browser.close()
        return tell(f"    in Chromium: {text}, {cells} cells")

    def plays(self, python: str, start: int = 0, words: Sequence[dict[str, Any]] = ()) -> int:
        """A person plays until two moves more are made, and says these words; the moves then."""
        script = PLAY.replace("START", str(start)).replace("WORDS", repr(list(words)))
        who = [] if python == "/usr/bin/python3" else ["runuser", "-u", ME, "--"]
        return int(self.inside(*who, python, "-c", script))

    def _find_leader(self) -> bool:
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children").read_text()
        for child in children.split():
            # Before it there are others for a moment, which set it up.
            name = Path(f"/proc/{child}/comm").read_text().strip()
            if name == "systemd" if self._boots else self._ready.exists():
                self._leader = int(child)
        return bool(self._leader)

    def until(self, true: Callable[[], object], what: str, pause_s: float = 0.2) -> None:
        """Wait until this is so; TrialFailed."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            if self._nspawn.poll() is not None:
                raise TrialFailed(f"the machine ended while this was awaited: {what}")
            with suppress(TrialFailed, ValueError, KeyError, IndexError, OSError):
                if true():
                    return
            time.sleep(pause_s)  # another system's start: nothing in it tells us
        raise TrialFailed(f"it never came: {what}")

    def table(self) -> dict[str, Any]:
        """The first table, as the service tells it."""
        told = json.loads(self.inside("lumiban", "status", "--json", check=False))
        table: dict[str, Any] = told["tables"][0]
        return table

    def service(self) -> str:
        """Process of the service, "0" while there is none."""
        return self.inside("systemctl", "show", "-P", "MainPID", "lumiban").strip()

    def page_comes(self) -> float:
        """Wait for the page with a game; seconds since power-on."""
        self.until(lambda: self.table().get("state") == "playing", "a table in play")
        self.page()
        return time.monotonic() - self.began_s

    def power_off(self) -> float:
        """Turn it off as the page's button does; seconds."""
        before = time.monotonic()
        self.inside("touch", "/run/lumiban/power-off", check=False)
        try:
            self._nspawn.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            raise TrialFailed("the machine does not turn off") from None
        return time.monotonic() - before

    def end(self) -> None:
        """Pull the plug."""
        if self._leader and self._nspawn.poll() is None:
            with suppress(ProcessLookupError):
                os.kill(self._leader, 9)
        self._nspawn.kill()
        self._nspawn.wait()
        self._log.close()
        if self._group is not None:
            remove_group(self._group)


def other_version(deb: Path, version: str, work: Path, kind: str = "") -> Path:
    """The same package under another version; one that "breaks" has a program that ends at once,
    and one that "waits" does so while it is configured."""
    tree = work / f"tree-{version}"
    run("dpkg-deb", "-R", deb, tree)
    control = tree / "DEBIAN" / "control"
    told = control.read_text()
    control.write_text(re.sub(r"^Version: .*$", f"Version: {version}", told, flags=re.MULTILINE))
    if kind == "breaks":
        (tree / "usr/bin/lumiban").write_text("#!/bin/sh\nexit 1\n")
    if kind == "waits":
        (tree / "DEBIAN" / "postinst").write_text(f"#!/bin/sh\ntouch /{WAITING}; sleep 600\n")
    out = work / f"lumiban_{version}.deb"
    run("dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, out)
    shutil.rmtree(tree)
    return out


def tell(what: str, seconds: float | None = None) -> None:
    """Print a line of the report."""
    print(f"{what}: {seconds:.1f} s" if seconds is not None else what, flush=True)


def settle(root: Path) -> None:
    """Let the service have a simulated board."""
    state = root / STATE
    uid, gid = map(int, run("chroot", root, "sh", "-c", "id -u lumiban; id -g lumiban").split())
    state.mkdir(exist_ok=True)
    (state / "settings.toml").write_text(SETTINGS)
    for path in (state, state / "settings.toml"):
        os.chown(path, uid, gid)


def commands(release: Path) -> list[str]:
    """The commands of the release's README, in its order."""
    text = (release / "README.md").read_text("utf-8")
    return re.findall(r"^ {4}(\S.*?)(?: {2,}#.*)?$", text, re.MULTILINE)


def is_emulated(root: Path) -> bool:
    """True if the root is another kind of machine's."""
    arm = (root / "lib/ld-linux-aarch64.so.1").exists()
    return arm != (os.uname().machine == "aarch64")


def by_hand(machine: Machine, root: Path, release: Path) -> None:
    """Type what the README says, as somebody who is not root; what only root may do, too, where the
    machine cannot be booted for it."""
    machine.inside("useradd", "-m", ME)
    before = set(machine.inside("sh", "-c", LIST).splitlines())
    for command in commands(release):
        if command.startswith("sudo ") and not is_emulated(root):
            continue
        if re.search(r"/lumiban (demo|play)\b", command):
            began = time.monotonic()
            with machine.stays(*machine.types(command)):
                tell(f"{command}\n    its page", time.monotonic() - began)
                machine.looks()
                if "play" in command:
                    machine.plays(f"{HOME}/lumiban/bin/python")
                    tell("    a person has played")
        elif command.startswith("sudo lumiban status"):
            serve_by_hand(machine, root)
        else:
            machine.does(command)
    left = set(machine.inside("sh", "-c", LIST).splitlines()) - before
    shared = (f"{HOME}/.local", f"{HOME}/.local/state", f"{HOME}/.cache")
    ours = (path for path in left if "lumiban" in path or path.startswith("/home"))
    if own := sorted(set(ours) - set(shared)):
        raise TrialFailed(f"left: {own[:20]}")
    tell(f"nothing of it is left ({len(left)} other files are new: the system's own)")


def serve_by_hand(machine: Machine, root: Path) -> None:
    """Start the package's service as its unit does, play there and ask for its status."""
    settle(root)
    machine.inside("install", "-d", "-o", "lumiban", "/var/cache/lumiban")
    who = ("runuser", "-u", "lumiban", "--", "env", f"HOME=/{STATE}", f"LUMIBAN_HOME=/{STATE}")
    with machine.stays(*who, "/usr/bin/lumiban", "serve"):
        machine.plays("/usr/bin/python3")
        told = machine.inside(*who, "lumiban", "status", check=False)
        tell(f"lumiban serve, by hand\n    {told.strip().splitlines()[0]}")


def older(machine: Machine, root: Path, release: Path, wheel: Path) -> None:
    """Leave a game, a record, settings and a calibration by an older version; play on by this one;
    then by the older one again."""
    venv, newer = commands(release)[1:3]
    state, lumiban = root / HOME[1:] / ".local/state/lumiban", f"{HOME}/lumiban/bin/lumiban"
    shutil.copy(wheel, root / BROUGHT)
    machine.inside("useradd", "-m", ME)
    machine.does(venv)
    back = f"{lumiban[:-7]}pip install -q --no-index --find-links wheels /{BROUGHT}/{wheel.name}"
    moves, kept = 0, ""
    for install in (back, newer, back):
        machine.does(install)
        if not moves:
            machine.does(f"{lumiban} board calibrate --board sim --profile strip5 --assist")
            (state / "settings.toml").write_text(SETTINGS)
        with machine.stays(*machine.types(f"{lumiban} serve")):
            if not moves:
                machine.plays(f"{HOME}/lumiban/bin/python", 0, RESIGN)
            moves = machine.plays(f"{HOME}/lumiban/bin/python", moves)
        records = sorted(path.name for path in (state / "records").glob("*"))
        calibrated = [path.read_bytes().hex() for path in (state / "calibration").glob("*.bin")]
        told = f"{records} {calibrated} {(state / 'settings.toml').read_text('utf-8')}"
        listed = machine.does(f"{lumiban} records")
        if not (records and calibrated and "control" in listed) or told != (kept or told):
            raise TrialFailed(f"not as it was left: {told}, {kept}, {listed}")
        kept = told
        tell(f"    {machine.does(f'{lumiban} --version').strip()} plays on to move {moves}")
    machine.does(commands(release)[-2])


def device_policy(machine: Machine) -> str:
    """Verdict whether this kernel keeps devices from a service as its unit says: "enforced", or
    "inconclusive: …" with the reason. A number that no driver has is opened by a service that may
    open nothing: the policy's refusal (EPERM) comes before the driver's absence."""
    path = f"/dev/{PROBE}"
    machine.inside("sh", "-c", f"[ -e {path} ] || mknod -m 666 {path} c 240 7", check=False)
    code = f"import os\ntry: os.open('{path}', 0)\nexcept OSError as e: print(e.errno)"
    told = machine.inside(
        "systemd-run", "--quiet", "--wait", "--pipe", "-p", "DevicePolicy=closed",
        "/usr/bin/python3", "-c", code, check=False,
    ).strip()  # fmt: skip
    return judged(told)


PROBE = "lumiban-probe"


def judged(told: str) -> str:
    """Verdict on the policy by the error's number.

    >>> judged("1"), judged("6")
    ('enforced', 'inconclusive: this kernel enforces no device policy')
    """
    if told == str(errno.EPERM):
        return "enforced"
    if told in (str(errno.ENXIO), str(errno.ENODEV)):
        return "inconclusive: this kernel enforces no device policy"
    return f"inconclusive: the probe said {told or 'nothing'}"


def kill_all(machine: Machine) -> None:
    """Kill every process of the table at once; the game goes on."""
    before = machine.table()
    machine.inside("/usr/bin/python3", "-c", KILL)
    machine.until(
        lambda: (
            (now := machine.table())["state"] == "playing"
            and now["pid"] != before["pid"]
            and now["moves"] >= before["moves"]
        ),
        f"the game after its move {before['moves']}",
    )
    tell(f"killed after move {before['moves']}, goes on after move {machine.table()['moves']}")


class Owner:
    """Signer of packages, with a key that the root trusts."""

    def __init__(self, deb: Path, root: Path, work: Path) -> None:
        self._deb, self._root, self._work = deb, root, work
        os.environ["GNUPGHOME"] = str(work / "gnupg")
        (work / "gnupg").mkdir(mode=0o700)
        run(
            "gpg", "--batch", "--passphrase", "", "--quick-gen-key", KEY, "ed25519", "sign", "never"
        )
        self.signed("0.0.1")
        keyring = root / "etc/apt/keyrings/lumiban.gpg"
        keyring.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / SOURCE / "lumiban.gpg", keyring)

    def signed(self, version: str, kind: str = "") -> str:
        """The only package of a signed source in the root; the source's path in there."""
        from build import sign  # the script beside this one

        folder = self._root / SOURCE
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        shutil.move(other_version(self._deb, version, self._work, kind), folder)
        sign(folder, KEY)
        return f"/{SOURCE}"

    def end(self) -> None:
        """End the programs that hold the key."""
        subprocess.run(["gpgconf", "--kill", "all"], check=False)


KEY = "owner@example.org"
SOURCE = f"{BROUGHT}/packages"
WAITING = f"{BROUGHT}/waiting"


def strike_openings(machine: Machine) -> None:
    """Kill the service alone, or end it, in its first seconds: it is up again at its page, with one
    table and one page."""
    url = machine.table()["url"]
    for after_s in (0.2, 0.6, 1.0, 1.5, 3.0):
        for signal in ("KILL", "TERM"):
            machine.inside("systemctl", "restart", "--no-block", "lumiban")
            machine.until(
                lambda: machine.inside("pgrep", "-f", "service.table_process"), "a table", 0.05
            )
            time.sleep(after_s)  # the moment that is tried
            pid = machine.service()
            machine.inside("systemctl", "kill", "--kill-whom=main", "-s", signal, "lumiban")
            machine.until(
                lambda was=pid: (  # type: ignore[misc]  # it is called at once
                    machine.service() not in (was, "0") and machine.table()["state"] == "playing"
                ),
                f"a table after {signal}",
            )
            machine.until(lambda: machine.table()["url"] == url, f"the page at {url}")
    for part in ("service.table_process", "web.page_process"):
        told = machine.inside("pgrep", "-fc", part, check=False).strip()
        if told != "1":
            raise TrialFailed(f"{told} processes of {part} live after kills of the service")
    tell("killed and ended in its first seconds ten times, up again at its page, nothing left over")


def version_of(machine: Machine) -> str:
    """The package's version, and its state unless it is whole."""
    told = machine.inside("dpkg-query", "-W", "-f", "${Version} ${Status}", "lumiban")
    return told.removesuffix(" install ok installed")


def change_versions(machine: Machine, owner: Owner, first: str) -> None:
    """Upgrade, the way back, an older version, and an update that does not come up."""
    moves = machine.table()["moves"]
    for words, kind, expected, code in (
        ("9.1", "", "9.1", "0"),
        ("--back", "", first, "0"),
        ("9.1", "", "9.1", "0"),
        ("0.0.1", "", "9.1", "2"),
        ("9.2", "breaks", "9.1", "1"),
    ):
        begun = time.monotonic()
        what = words if words == "--back" else owner.signed(words, kind)
        line = f"LUMIBAN_UPDATE_WAIT={10 if kind else 120} lumiban-update {what} 2>&1; echo $?"
        *told, ended = machine.inside("sh", "-c", line).splitlines()
        if (ended, version_of(machine)) != (code, expected):
            words = "\n".join(told)
            raise TrialFailed(f"{version_of(machine)} is installed, not {expected}:\n{words}")
        machine.until(
            lambda: machine.table().get("moves", -1) >= moves, f"the game with {expected}"
        )
        tell(f"{words} {kind}: {told[-1]}", time.monotonic() - begun)


def cut_updates(machine: Machine, owner: Owner, root: Path, log: Path, release: Path) -> Machine:
    """End the machine without a word in the middle of an update: while files are unpacked, while
    they get their names, while the package is configured; the machine after the last."""
    before = version_of(machine)
    coming = root / "usr/bin/lumiban.dpkg-new"

    def unpacked() -> Iterator[Path]:
        return (root / "usr/lib/lumiban").rglob("*.dpkg-new")

    for number, (what, moment) in enumerate(
        (
            ("unpacks", lambda: next(unpacked(), None)),
            ("names files", lambda: next(unpacked(), None) and not coming.exists()),
            ("configures", (root / WAITING).exists),
        )
    ):
        moves = machine.table()["moves"]
        folder = owner.signed(f"9.3.{number}", "waits")
        (root / WAITING).unlink(missing_ok=True)
        machine.inside("systemd-run", "-q", "lumiban-update", folder)
        if number == 1:
            machine.until(coming.exists, "a file that has no name yet")
        machine.until(moment, f"the moment at which dpkg {what}", pause_s=0.0)
        machine.end()
        new = sum(1 for _ in unpacked())
        machine = Machine(root, log, release)
        try:
            seconds = machine.page_comes()
            if version_of(machine) != before or machine.table()["moves"] < moves:
                raise TrialFailed(f"{version_of(machine)}, {machine.table()} after a cut")
            left = sum(1 for _ in unpacked())
            wrong = machine.inside("dpkg", "--verify", "lumiban") + machine.inside(
                "dpkg", "--audit"
            )
            if wrong or left:
                raise TrialFailed(f"files are left of a cut update: {left} {wrong}")
        except BaseException:  # whatever it was: nobody else will end it
            machine.end()
            raise
        tell(f"cut while dpkg {what} ({new} files without their names): {before} runs", seconds)
    return machine


def cut_power(machine: Machine, root: Path, log: Path, release: Path, times: int) -> Machine:
    """End the machine without a word, again and again, each time after another move; the machine
    after the last. What the kernel had been given stays: a disk's own cache is not part of this
    (`tests/unit/table/test_crash_states.py` has every state of that)."""
    for number in range(times):
        moves = machine.table()["moves"]
        if machine.table()["is_over"]:
            raise TrialFailed(f"the game ended after {moves} moves, too soon for {times} cuts")
        machine.end()
        machine = Machine(root, log, release)
        try:
            machine.page_comes()
            after = machine.table()["moves"]
            if after < moves:
                raise TrialFailed(f"power cut {number + 1}: {after} moves are left of {moves}")
            machine.plays("/usr/bin/python3", after)
        except BaseException:  # whatever it was: nobody else will end it
            machine.end()
            raise
        tell(f"power cut {number + 1}: goes on after move {after}")
    return machine


def remove(machine: Machine, purge: str, before: set[str]) -> None:
    """Remove the package, which keeps games; purge it by the README's command, which does not."""
    machine.inside("dpkg", "-r", "lumiban")
    kept = machine.inside("sh", "-c", f"ls /{STATE}/journals | wc -l").strip()
    if kept == "0":
        raise TrialFailed("removing the package removed the games")
    if machine.inside("systemctl", "is-active", "lumiban.service", check=False).strip() == "active":
        raise TrialFailed("removing the package left the service running")
    machine.does(purge)
    left = set(machine.inside("sh", "-c", LIST).splitlines()) - before
    ours = (path for path in left if "lumiban" in path and BROUGHT not in path)
    if own := sorted(path for path in ours if "keyrings" not in path):  # the trial trusts itself
        raise TrialFailed(f"purge left {own}")
    tell(f"removed with {kept} journals kept, purged with nothing left")


def number(root: Path) -> str:
    """The number of the root's Debian."""
    (found,) = re.findall(r'^VERSION_ID="?(\d+)', (root / "etc/os-release").read_text(), re.M)
    return str(found)


def service(root: Path, release: Path, work: Path, *, whole: bool) -> None:
    """Try the release's package as a service that starts at boot; TrialFailed."""
    log = work / "nspawn.log"
    install, status, purge = (one for one in commands(release) if one.startswith("sudo "))
    arch = run("dpkg", "--print-architecture").strip()
    (deb,) = (release / number(root)).glob(f"*_{arch}.deb")
    machine = Machine(root, log, release)
    try:
        machine.until(
            lambda: (
                machine.inside("systemctl", "is-system-running", check=False).strip()
                in ("running", "degraded")
            ),
            "the end of the first start",
        )
        before = set(machine.inside("sh", "-c", LIST).splitlines())
        machine.does(install)
        machine.inside("test", "-d", "/usr/lib/lumiban/site/lumiban/__pycache__")
        settle(root)
        machine.inside("systemctl", "restart", "lumiban")
        machine.page_comes()
        machine.looks()
        machine.does(status)
        tell(f"which devices the service may open: {device_policy(machine)}")
        machine.plays("/usr/bin/python3")
        used = machine.inside(
            "systemctl", "show", "-P", "CPUUsageNSec", "lumiban.service", check=False
        ).strip()
        if used.isdigit():
            tell("processor time of the service until two moves", int(used) / 1e9)
        kill_all(machine)
        strike_openings(machine)
        problems = machine.inside("lumiban", "logs", "--lines", "200")
        if "BotFailed" in problems:
            raise TrialFailed(f"a bot failed:\n{problems}")
        if whole:
            owner = Owner(deb, root, work)
            try:
                change_versions(machine, owner, version_of(machine))
                machine = cut_updates(machine, owner, root, log, release)
            finally:
                owner.end()
        moves = machine.table()["moves"]
        tell("off by the page's button", machine.power_off())
        machine.end()
        machine = Machine(root, log, release)
        tell("power-on to page and game", machine.page_comes())
        if machine.table()["moves"] < moves:
            raise TrialFailed(f"after power-off {machine.table()['moves']} moves, not {moves}")
        tell(f"goes on after move {moves}")
        if whole:
            machine = cut_power(machine, root, log, release, 10)
        remove(machine, purge, before)
    except TrialFailed:
        with suppress(TrialFailed):
            told = machine.inside("sh", "-c", "journalctl -u lumiban --no-pager | tail -40;"
                "lumiban status; lumiban logs", check=False)  # fmt: skip
            sys.stderr.write(told)
        raise
    finally:
        machine.end()


def trial(release: Path, tar: Path | None, before: Path | None, *, whole: bool) -> None:
    """Try a release on a root, a fresh one for each part; TrialFailed says what does not hold."""
    name = tar.name if tar else "this system"
    for part in ("by hand", "after an older one", "as a service"):
        with root_of(tar) as root, tempfile.TemporaryDirectory() as folder:
            work = Path(folder)
            if part == "after an older one" and (before is None or is_emulated(root)):
                continue
            if part == "as a service" and is_emulated(root):
                continue
            tell(f"\n{name}, Debian {number(root)}: {part}")
            (root / BROUGHT).mkdir(exist_ok=True)
            try:
                if part == "as a service":
                    service(root, release, work, whole=whole)
                    continue
                machine = Machine(root, work / "nspawn.log", release, boots=False)
                try:
                    if before is None or part == "by hand":
                        by_hand(machine, root, release)
                    else:
                        older(machine, root, release, before)
                finally:
                    machine.end()
            except TrialFailed:
                sys.stderr.write((work / "nspawn.log").read_text("utf-8", "replace")[-3000:])
                raise


def main(words: Sequence[str]) -> int:
    """Try what the command line names."""
    parser = argparse.ArgumentParser(prog="./run package --try", description=__doc__.split("\n")[0])
    parser.add_argument("release", type=Path)
    parser.add_argument("--root", type=Path, nargs="+", help="tars of roots; else this machine's")
    parser.add_argument("--before", type=Path, help="a wheel of an older lumiban")
    parser.add_argument("--whole", action="store_true", help="other versions of the package too")
    wish = parser.parse_args(words)
    try:
        for tar in wish.root or (None,):
            trial(wish.release.resolve(), tar, wish.before, whole=wish.whole)
    except CannotTry as reason:
        print(f"package: not tried: this machine may not mount: {reason}", file=sys.stderr)
        return CANNOT
    except TrialFailed as failed:
        print(f"package: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
