"""An update of the package, by apt, gpgv and dpkg themselves in a root laid over this machine's:
what is not to be installed is refused with a sentence, and what is cut is ended at the next start.

The packages are small ones with the true package's scripts; `./run package --try` has the true one.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from places import ROOT
from scripts import module_of

DEBIAN = ROOT / "packaging" / "debian"
trial = module_of(ROOT / "packaging" / "trial.py", "lumiban_update_trial")
build = module_of(ROOT / "packaging" / "build.py", "lumiban_update_build")
NEEDED = ("apt-get", "gpg", "gpgv", "dpkg-deb", "unshare", "cc")
KNOWN = ("libc6", "python3", "systemd", "passwd", "dpkg", "base-files")
"""Packages that apt is told of: with all of this machine's it would think for seconds."""
FILES = 12
STORE = "var/cache/lumiban-packages"
CUT = """\
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/stat.h>
static void count(void) {
    const char *at = getenv("CUT_AT");
    struct stat told;
    if (!at || strcmp(program_invocation_short_name, "dpkg")) return;
    int file = open("/cut-count", O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (fstat(file, &told) == 0 && told.st_size == atoi(at)) {
        close(open("/cut", O_WRONLY | O_CREAT, 0644));
        for (;;) pause();
    }
    if (write(file, ".", 1) != 1) abort();
    close(file);
}
int rename(const char *from, const char *to) {
    count();
    return ((int (*)(const char *, const char *))dlsym(RTLD_NEXT, "rename"))(from, to);
}
int unlink(const char *path) {
    count();
    return ((int (*)(const char *))dlsym(RTLD_NEXT, "unlink"))(path);
}
"""
"""Stops dpkg before its change of a name number CUT_AT, until all is killed."""

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(
        os.geteuid() != 0 or not all(map(shutil.which, NEEDED)), reason="needs root and Debian"
    ),
]


@dataclass
class System:
    """A root with apt and dpkg, packages and keys of two owners."""

    root: Path
    work: Path

    def run(self, *words: str, **env: str) -> subprocess.CompletedProcess[str]:
        """Run a program in the root; its output with its errors."""
        return subprocess.run(
            ["chroot", str(self.root), *words], check=False, text=True, timeout=30,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LUMIBAN_UPDATE_WAIT": "1", **env},
        )  # fmt: skip

    def update(self, *words: str, **env: str) -> tuple[int, str]:
        """Exit code and words of lumiban-update."""
        done = self.run("/usr/sbin/lumiban-update", *words, **env)
        return done.returncode, done.stdout

    def state(self) -> tuple[str, str]:
        """Version and state of the package, as dpkg has them."""
        told = self.run("dpkg-query", "-W", "-f", "${Version} ${Status}", "lumiban").stdout
        version, _, status = told.partition(" ")
        return version, status

    def files(self) -> set[str]:
        """What stands in the package's files, each of which has its version."""
        folder = self.root / "usr/lib/lumiban/site"
        return {path.read_text() for path in folder.iterdir()}

    def is_whole(self, version: str) -> bool:
        """True if this version is installed, by dpkg's words and by every file."""
        return (
            self.state() == (version, "install ok installed")
            and self.files() == {version}
            and self.run("dpkg", "--audit").stdout == ""
            and self.run("lumiban", "status").stdout.strip() == f'"url" {version}'
        )

    def gpg(self, *words: str) -> None:
        """Run GnuPG with the owners' keys."""
        subprocess.run(["gpg", "--batch", "--yes", "--quiet", *words], check=True, timeout=60)

    def deb(self, version: str, *, name: str = "", arch: str = "", needs: str = "python3",
            breaks: bool = False, stops: str = "") -> Path:  # fmt: skip
        """A package of this version; one that breaks has a program that ends at once, and one
        that stops in a script waits there for its end."""
        tree = Path(tempfile.mkdtemp(dir=self.work))
        for place, source in (
            ("usr/sbin/lumiban-update", DEBIAN / "lumiban-update"),
            ("usr/lib/systemd/system/lumiban-update.service", DEBIAN / "lumiban-update.service"),
        ):
            build.put(source, tree / place, 0o755)
        build.put_text(
            tree / "usr/bin/lumiban",
            f"#!/bin/sh\n{'exit 1' if breaks else ''}\necho '\"url\"' {version}\n",
        )
        (tree / "usr/bin/lumiban").chmod(0o755)
        for number in range(FILES):
            build.put_text(tree / f"usr/lib/lumiban/site/{number:02}", version)
        arch = arch or subprocess.check_output(["dpkg", "--print-architecture"], text=True).strip()
        build.put_text(
            tree / "DEBIAN/control",
            f"Package: lumiban\nVersion: {version}\nArchitecture: {arch}\n"
            f"Maintainer: x <x@x>\nDepends: {needs}\nDescription: x\n",
        )
        for script in ("prerm", "postrm"):
            build.put(DEBIAN / script, tree / "DEBIAN" / script, 0o755)
        for script in ("preinst", "postinst", "prerm"):
            waits = "if [ -e /stop ]; then touch /cut; sleep 600; fi\n" if script == stops else ""
            path = tree / "DEBIAN" / script
            rest = path.read_text().partition("\n")[2] if path.exists() else ""
            build.put_text(path, f"#!/bin/sh\n{waits}{rest}")
            path.chmod(0o755)
        out = self.work / (name or f"lumiban_{version}_{arch}.deb")
        trial.run("dpkg-deb", "--root-owner-group", "-Znone", "-b", tree, out)
        return out

    def source(self, *debs: Path, key: str = "owner@x", place: str = "srv/packages") -> str:
        """A folder with packages in the root, signed unless the key is ""; its path in there."""
        folder = self.root / place
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for deb in debs:
            shutil.copy(deb, folder)
        if key:
            build.sign(folder, key)
        return f"/{place}"

    def begin(self, version: str = "2.0", stops: str = "") -> None:
        """Have this version alone, freshly installed, and no other kept."""
        self.run("dpkg", "-P", "--force-all", "lumiban")
        for place in (STORE, "cut", "cut-count"):
            shutil.rmtree(self.root / place, ignore_errors=True)
            (self.root / place).unlink(missing_ok=True)
        deb = self.deb(version, stops=stops)
        shutil.copy(deb, self.root / "srv")
        done = self.run("dpkg", "-i", f"/srv/{deb.name}")
        assert self.is_whole(version), done.stdout

    @contextmanager
    def full(self) -> Iterator[None]:
        """A disk without room for the package's cache."""
        store = self.root / STORE
        store.mkdir(exist_ok=True)
        trial.run("mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", store)
        try:
            yield
        finally:
            trial.run("umount", store)

    def cut(self, *words: str, **env: str) -> bool:
        """Begin to run a program, and kill it with all its children when it stops as told; False
        when it came to its end."""
        (self.root / "cut").unlink(missing_ok=True)
        (self.root / "cut-count").unlink(missing_ok=True)
        (self.root / "stop").touch()
        whole = ["unshare", "--pid", "--fork", "--kill-child", "chroot", str(self.root), *words]
        path = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LUMIBAN_UPDATE_WAIT": "1"}
        process = subprocess.Popen(
            whole, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={**path, **env},
        )  # fmt: skip
        end = time.monotonic() + 60
        while process.poll() is None and not (self.root / "cut").exists():
            assert time.monotonic() < end
            time.sleep(0.005)  # a program that stops itself says so by a file
        ended = process.poll() is not None
        (self.root / "stop").unlink()
        process.kill()
        process.wait()
        # Those within end a moment after it, and the lock with them.
        (self.root / STORE).mkdir(exist_ok=True)
        with (self.root / STORE / "lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
        return not ended


@pytest.fixture(scope="module")
def system() -> Iterator[System]:
    with ExitStack() as stack:
        try:
            root = stack.enter_context(trial.root_of(None))
        except trial.CannotTry as reason:
            pytest.skip(str(reason))
        work = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="lumiban-keys-")))
        (work / "gnupg").mkdir(mode=0o700)
        stack.enter_context(pytest.MonkeyPatch.context()).setenv("GNUPGHOME", str(work / "gnupg"))
        stack.callback(subprocess.run, ["gpgconf", "--kill", "all"], check=False)
        made = System(root, work)
        for name in ("owner@x", "stranger@x"):
            made.gpg("--passphrase", "", "--quick-gen-key", name, "ed25519", "sign", "never")
        keyring = root / "etc/apt/keyrings/lumiban.gpg"
        keyring.parent.mkdir(parents=True, exist_ok=True)
        made.gpg("--output", str(keyring), "--export", "owner@x")
        shutil.rmtree(root / "etc/apt/apt.conf.d")  # this machine's own wishes
        (root / "etc/apt/apt.conf.d").mkdir()
        status = root / "var/lib/dpkg/status"
        known = [one for one in status.read_text().split("\n\n") if one[9:].split("\n")[0] in KNOWN]
        alone = "\n\n".join(known) + "\n"
        status.write_text(re.sub(r"(?m)^(Pre-Depends|Depends|Recommends): .*\n", "", alone))
        for name in ("systemctl", "systemd-sysusers", "udevadm"):
            (root / "usr/bin" / name).unlink(missing_ok=True)
            build.put_text(root / "usr/bin" / name, "#!/bin/sh\nexit 0\n")
            (root / "usr/bin" / name).chmod(0o755)
        source = work / "cut.c"
        source.write_text(CUT)
        trial.run("cc", "-shared", "-fPIC", "-o", root / "cut.so", source, "-ldl")
        for name, minor in (("null", 3), ("zero", 5), ("urandom", 9)):
            (root / "dev" / name).unlink(missing_ok=True)
            os.mknod(root / "dev" / name, 0o666 | stat.S_IFCHR, os.makedev(1, minor))
            (root / "dev" / name).chmod(0o666)
        (root / "srv").mkdir(exist_ok=True)
        yield made


def test_a_newer_version_is_installed_and_there_is_a_way_back_from_the_first_update_on(
    system: System,
) -> None:
    system.begin()
    assert system.update("--back")[0] == 2, "nothing was there before"
    code, told = system.update(system.source(system.deb("3.0")))
    assert (code, system.is_whole("3.0")) == (0, True), told
    code, told = system.update("--back")
    assert (code, system.is_whole("2.0")) == (0, True), told
    assert "No version before 2.0" in system.update("--back")[1]
    system.run("dpkg", "-P", "lumiban")
    assert not (system.root / STORE).exists(), "purged with what was kept"


def test_a_version_that_does_not_come_up_is_taken_back(system: System) -> None:
    system.begin()
    code, told = system.update(system.source(system.deb("3.0", breaks=True)))
    assert (code, system.is_whole("2.0")) == (1, True), told
    assert "version 2.0 runs again" in told
    assert told.count("Unpacking lumiban (2.0)") == 1


def test_apt_and_dpkg_themselves_keep_the_version_before(system: System) -> None:
    system.begin()
    folder = system.source(system.deb("3.0"))
    system.run("sh", "-c", f"dpkg -i {folder}/*.deb")
    assert system.is_whole("3.0")
    assert system.update("--back")[0] == 0
    assert system.is_whole("2.0")


def test_a_source_of_the_owner_s_own_is_one_that_names_its_key(system: System) -> None:
    system.begin()
    system.source(system.deb("3.0"))
    place = system.root / "etc/apt/sources.list.d/lumiban.sources"
    lines = "Types: deb\nURIs: file:/srv/packages\nSuites: ./\n"
    for more, code in (
        ("", 2),
        ("Trusted: yes\nSigned-By: /etc/apt/keyrings/lumiban.gpg\n", 2),
        ("Signed-By: /etc/apt/keyrings/lumiban.gpg\n", 0),
    ):
        place.write_text(lines + more)
        done, told = system.update()
        assert done == code, told
    place.unlink()
    assert system.is_whole("3.0")


def older(system: System) -> str:
    return system.source(system.deb("1.0"))


def unsigned(system: System) -> str:
    return system.source(system.deb("3.0"), key="")


def of_another(system: System) -> str:
    return system.source(system.deb("3.0"), key="stranger@x")


def of_another_machine(system: System) -> str:
    return system.source(system.deb("3.0", arch="s390x"))


def of_another_release(system: System) -> str:
    return system.source(system.deb("3.0", needs="python3 (>= 4)"))


def changed(system: System) -> str:
    folder = system.source(system.deb("3.0"))
    (deb,) = (system.root / folder[1:]).glob("*.deb")
    deb.write_bytes(system.deb("3.0", breaks=True).read_bytes())
    return folder


def changed_list(system: System) -> str:
    folder = system.source(system.deb("3.0"))
    path = system.root / folder[1:] / "Packages"
    path.write_text(path.read_text().replace("3.0", "3.1"))
    return folder


def changed_signature(system: System) -> str:
    folder = system.source(system.deb("3.0"))
    path = system.root / folder[1:] / "InRelease"
    path.write_text(path.read_text().replace("Origin: lumiban", "Origin: Lumiban"))
    return folder


def renamed(system: System) -> str:
    folder = system.source(system.deb("3.0"))
    (deb,) = (system.root / folder[1:]).glob("*.deb")
    deb.rename(deb.with_name("other.deb"))
    return folder


def of_tomorrow(system: System) -> str:
    """To a clock of 1970 every package is of tomorrow."""
    folder = system.source(system.deb("3.0"))
    signed = system.root / folder[1:] / "InRelease"
    release = signed.read_text().partition("\n\n")[2].partition("-----BEGIN")[0]
    text = system.work / "Release"
    text.write_text(re.sub("Date: .*", "Date: Sat, 01 Jan 2050 00:00:00 +0000", release))
    system.gpg("--faked-system-time", "20500101T000000", "--local-user", "owner@x",
               "--output", str(signed), "--clearsign", str(text))  # fmt: skip
    return folder


def same(system: System) -> str:
    return system.source(system.deb("2.0"))


def a_file(system: System) -> str:
    return system.source(system.deb("3.0")) + "/lumiban_3.0_amd64.deb"


def links(system: System) -> str:
    folder = system.source(system.deb("3.0"))
    for path in (system.root / folder[1:]).iterdir():
        path.rename(system.root / "srv" / path.name)
        path.symlink_to(f"/srv/{path.name}")
    return folder


def exchanged(system: System) -> str:
    """While it is copied, a package becomes a link to a file that its owner may not read."""
    folder = system.source(system.deb("3.0"))
    exchange = system.root / "usr/sbin/cp"
    build.put_text(
        exchange,
        f"#!/bin/sh\nrm /usr/sbin/cp\nmv {folder}/*.deb /srv/\nln -s /srv/lumiban_3.0_* {folder}/\n"
        'exec /bin/cp "$@"\n',
    )
    exchange.chmod(0o755)
    return folder


REFUSED: dict[Callable[[System], str], str] = {
    older: "1.0 is older than 2.0",
    unsigned: "not signed",
    of_another: "another key",
    of_another_machine: "no lumiban for this machine",
    of_another_release: "another release of the system",
    changed: "not the one that was signed",
    changed_list: "not the one that was signed",
    changed_signature: "changed after it was signed",
    renamed: "missing",
    same: "installed already",
    of_tomorrow: "clock says 20",
    a_file: "Name the folder",
    links: "not signed",
    exchanged: "missing",
}


@pytest.mark.parametrize("wrong", REFUSED, ids=lambda one: one.__name__)
def test_what_is_not_to_be_installed_is_a_sentence_and_nothing_has_changed(
    system: System, wrong: Callable[[System], str]
) -> None:
    if not (system.root / "usr/sbin/lumiban-update").exists() or not system.is_whole("2.0"):
        system.begin()
    code, told = system.update(wrong(system))
    assert REFUSED[wrong] in told, told
    assert "Nothing has changed." in told
    assert (code, system.is_whole("2.0")) == (2, True), told
    assert not (system.root / STORE / "trying").exists()


def test_without_a_key_or_room_it_is_refused(system: System) -> None:
    system.begin()
    folder = system.source(system.deb("3.0"))
    key = system.root / "etc/apt/keyrings/lumiban.gpg"
    data = key.read_bytes()
    key.unlink()
    code, told = system.update(folder)
    key.write_bytes(data)
    assert (code, "No key is installed" in told) == (2, True), told
    with system.full():
        code, told = system.update(folder)
        assert (code, "The disk is full" in told, "Nothing has" in told) == (2, True, True), told
        told = system.run("sh", "-c", f"dpkg -i {folder}/*.deb").stdout
        assert "cannot be kept" in told, told
    assert system.is_whole("2.0"), "dpkg goes on only where there is a way back"


def test_a_clock_before_the_program_s_own_time_is_told_as_that(system: System) -> None:
    system.begin()
    path = system.root / "usr/sbin/lumiban-update"
    os.utime(path, (2_000_000_000, 2_000_000_000))
    code, told = system.update(of_another(system))
    os.utime(path)
    assert (code, "clock says 20" in told, "Nothing has" in told) == (2, True, True), told


def ended(system: System, versions: set[str]) -> str:
    """The version that runs after the next start, which is one of these and whole."""
    code, told = system.update("--boot")
    version = system.state()[0]
    assert code == 0, told
    assert version in versions, told
    assert system.is_whole(version), (system.state(), system.files(), told)
    assert not (system.root / STORE / "trying").exists()
    return version


@pytest.mark.parametrize(
    ("by", "script"),
    [("lumiban-update", "postinst"), ("dpkg", "prerm"), ("dpkg", "preinst"), ("dpkg", "postinst")],
)
def test_an_update_that_is_cut_in_a_script_is_ended_at_the_next_start(
    system: System, by: str, script: str
) -> None:
    system.begin(stops=script if script == "prerm" else "")
    stops = script if script != "prerm" else ""
    folder = system.source(system.deb("3.0", stops=stops))
    words = ["/usr/sbin/lumiban-update", folder]
    if by == "dpkg":
        words = ["sh", "-c", f"dpkg -i {folder}/*.deb"]
    assert system.cut(*words)
    assert "installed" not in system.state()[1].split()[2:]
    kept = {"2.0"} if by == "lumiban-update" or script != "postinst" else {"3.0"}
    version = ended(system, kept)
    code, told = system.update(system.source(system.deb("4.0")))
    assert code == 0, told
    assert system.update("--back")[0] == 0
    assert system.is_whole(version)


def cuts(system: System, numbers: Callable[[], Iterator[int]]) -> int:
    """How many cuts there were, one before each of these changes of a name that dpkg makes in an
    update; each is ended at the next start, and every third of those is cut too."""
    done = 0
    for number in numbers():
        system.begin()
        folder = system.source(system.deb("3.0"))
        env = {"LD_PRELOAD": "/cut.so", "CUT_AT": str(number)}
        if not system.cut("/usr/sbin/lumiban-update", folder, **env):
            break
        done += 1
        if number % 3 == 0:
            again = {"LD_PRELOAD": "/cut.so", "CUT_AT": str(number // 2 + 3)}
            system.cut("/usr/sbin/lumiban-update", "--boot", **again)
        ended(system, {"2.0"})
    return done


def test_an_update_that_is_cut_while_dpkg_works_is_undone_at_the_next_start(
    system: System,
) -> None:
    assert cuts(system, lambda: iter((6, 24, 47))) == 3


@pytest.mark.long
def test_an_update_that_is_cut_at_any_change_of_a_name_is_undone_at_the_next_start(
    system: System,
) -> None:
    done = cuts(system, lambda: iter(range(1000)))
    assert 40 < done < 999
