"""A package tried in a Debian root under systemd-nspawn: `./run package --try FILE.deb`.

    installed and booted; the page comes; a person plays at a simulated board; every process of
    the table is killed at once and the game goes on; powered off and booted again; updated and put
    back, signed and not, a broken version taken back, an update cut at three moments; removed and
    purged.

The root is a tar made by mmdebstrap (`--root`), or this machine's own system, read only, under a
folder in memory. Root is needed, and systemd-container.
"""

from __future__ import annotations

import argparse
import errno
import json
import os
import re
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
MOUNTS = Path("/proc/self/mounts")
SETTINGS = (
    '[board]\nwhere = "sim"\nprofile = "hex5"\n[game]\nsecond = "bot:gentle"\nlobby = "off"\n'
)
PLAY = """
import asyncio, json, sys
sys.path.insert(0, "/usr/lib/lumiban/site")
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
    """The root, booted."""

    def __init__(self, root: Path, log: Path) -> None:
        self._log = log.open("ab")
        self._group = new_group()
        joins = ["sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', self._group]
        self._nspawn = subprocess.Popen(
            [
                *(joins if self._group is not None else ()),
                "systemd-nspawn", "-q", "-D", root, "-b", "--register=no", "--keep-unit",
                f"--machine=lumiban{os.getpid()}", "--private-network", "--console=pipe",
            ],
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            env={**os.environ, "SYSTEMD_NSPAWN_UNIFIED_HIERARCHY": "1"},
        )  # fmt: skip
        self.began_s = time.monotonic()
        self._leader = 0

    def inside(self, *words: str, check: bool = True) -> str:
        """Run a program in the machine; its output."""
        if not self._leader:
            self.until(self._find_leader, "the machine's first process")
        line = ["nsenter", "-t", str(self._leader), "-m", "-p", "-n", "-i", "-u", "-r", "-w"]
        done = subprocess.run(
            [*line, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL
        )
        if check and done.returncode:
            raise TrialFailed(f"{' '.join(words)[:200]}:\n{done.stdout}{done.stderr}")
        return done.stdout

    def _find_leader(self) -> bool:
        children = Path(f"/proc/{self._nspawn.pid}/task/{self._nspawn.pid}/children").read_text()
        for child in children.split():
            # Before it there are others for a moment, which set it up.
            if Path(f"/proc/{child}/comm").read_text().strip() == "systemd":
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
        self.inside("curl", "-fsS", "-o", "/dev/null", "http://127.0.0.1:8700/")
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


def bring(deb: Path, root: Path) -> str:
    """Put a package into the root; its path in there."""
    (root / BROUGHT).mkdir(exist_ok=True)
    shutil.copyfile(deb, root / BROUGHT / deb.name)
    return f"/{BROUGHT}/{deb.name}"


def install(root: Path, deb: Path) -> None:
    """Install the package in the root, without a network, and let it have a simulated board."""
    run("chroot", root, "dpkg", "-i", bring(deb, root))
    state = root / STATE
    uid, gid = map(int, run("chroot", root, "sh", "-c", "id -u lumiban; id -g lumiban").split())
    state.mkdir(exist_ok=True)
    (state / "settings.toml").write_text(SETTINGS)
    for path in (state, state / "settings.toml"):
        os.chown(path, uid, gid)


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
    """Whoever signs packages, with a key that the root trusts."""

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
    table, one page and one simulator."""
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
    for part in ("service.table_process", "web.page_process", "lumiban_sim"):
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


def cut_updates(machine: Machine, owner: Owner, root: Path, log: Path) -> Machine:
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
        machine = Machine(root, log)
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


def cut_power(machine: Machine, root: Path, log: Path, times: int) -> Machine:
    """End the machine without a word, again and again, each time after another move; the machine
    after the last. What the kernel had been given stays: a disk's own cache is not part of this
    (`tests/unit/table/test_crash_states.py` has every state of that)."""
    for number in range(times):
        moves = machine.table()["moves"]
        if machine.table()["is_over"]:
            raise TrialFailed(f"the game ended after {moves} moves, too soon for {times} cuts")
        machine.end()
        machine = Machine(root, log)
        try:
            machine.page_comes()
            after = machine.table()["moves"]
            if after < moves:
                raise TrialFailed(f"power cut {number + 1}: {after} moves are left of {moves}")
            machine.inside("/usr/bin/python3", "-c", PLAY.replace("START", str(after)))
        except BaseException:  # whatever it was: nobody else will end it
            machine.end()
            raise
        tell(f"power cut {number + 1}: goes on after move {after}")
    return machine


def remove(machine: Machine) -> None:
    """Remove the package, which keeps games; purge it, which does not."""
    machine.inside("dpkg", "-r", "lumiban")
    kept = machine.inside("sh", "-c", f"ls /{STATE}/journals | wc -l").strip()
    if kept == "0":
        raise TrialFailed("removing the package removed the games")
    if machine.inside("systemctl", "is-active", "lumiban.service", check=False).strip() == "active":
        raise TrialFailed("removing the package left the service running")
    machine.inside("dpkg", "-P", "lumiban")
    left = machine.inside(
        "sh", "-c", f"ls -d /{STATE} /usr/lib/lumiban /var/cache/lumiban* 2>/dev/null", check=False
    )
    if left.strip():
        raise TrialFailed(f"purge left {left.split()}")
    tell(f"removed with {kept} journals kept, purged with nothing left")


def trial(deb: Path, tar: Path | None, *, whole: bool) -> None:
    """Try a package; TrialFailed says what does not hold."""
    with root_of(tar) as root, tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        before = time.monotonic()
        install(root, deb)
        tell("installed", time.monotonic() - before)
        machine = Machine(root, work / "nspawn.log")
        try:
            tell("power-on to page and game", machine.page_comes())
            tell(f"which devices the service may open: {device_policy(machine)}")
            machine.inside("/usr/bin/python3", "-c", PLAY.replace("START", "0"))
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
                    machine = cut_updates(machine, owner, root, work / "nspawn.log")
                finally:
                    owner.end()
            moves = machine.table()["moves"]
            tell("off by the page's button", machine.power_off())
            machine.end()
            machine = Machine(root, work / "nspawn.log")
            tell("power-on to page and game", machine.page_comes())
            if machine.table()["moves"] < moves:
                raise TrialFailed(f"after power-off {machine.table()['moves']} moves, not {moves}")
            tell(f"goes on after move {moves}")
            if whole:
                machine = cut_power(machine, root, work / "nspawn.log", 10)
            remove(machine)
        except TrialFailed:
            sys.stderr.write((work / "nspawn.log").read_text("utf-8", "replace")[-3000:])
            with suppress(TrialFailed):
                told = machine.inside("sh", "-c", "journalctl -u lumiban --no-pager | tail -40;"
                    "lumiban status; lumiban logs", check=False)  # fmt: skip
                sys.stderr.write(told)
            raise
        finally:
            machine.end()


def main(words: Sequence[str]) -> int:
    """Try what the command line names."""
    parser = argparse.ArgumentParser(prog="./run package --try", description=__doc__.split("\n")[0])
    parser.add_argument("deb", type=Path)
    parser.add_argument("--root", type=Path, help="a tar of a Debian root; else this machine's own")
    parser.add_argument("--whole", action="store_true", help="other versions too")
    wish = parser.parse_args(words)
    try:
        trial(wish.deb, wish.root, whole=wish.whole)
    except CannotTry as reason:
        print(f"package: not tried: this machine may not mount: {reason}", file=sys.stderr)
        return CANNOT
    except TrialFailed as failed:
        print(f"package: {failed}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
