"""Debian packages of lumiban, built on any machine for amd64 and arm64.

    lumiban_VERSION_ARCH.deb    the program with its Python packages and the compiled kernels of its
                                bots (`kernels.py`), unit, user, udev rules

Wheels are a release's (`release.py`), by the locks with their hashes, for the Python of the named
system; nothing of the other machine is run, and nothing is downloaded when a package is installed.
"""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from lumiban import __version__

ROOT = Path(__file__).resolve().parents[1]
HERE = ROOT / "packaging"
DEBIAN = HERE / "debian"
CPUS = {"amd64": "x86_64", "arm64": "aarch64"}
RELEASES = {"bookworm": (12, 11), "trixie": (13, 13)}
"""Debian and Raspberry Pi OS by name: the number, and the minor version of its Python 3."""
GLIBCS = (36, 28, 27, 26, 17)
SITE = Path("usr/lib/lumiban/site")
MODES = {"preinst": 0o755, "postinst": 0o755, "prerm": 0o755, "postrm": 0o755}
MAINTAINER = "Lumiban <lumiban@localhost.localdomain>"


@dataclass(frozen=True)
class Target:
    """Target of a build."""

    arch: str
    release: str
    wheels: Path
    """All wheels of the release."""
    kernels: Path
    """The package `lumiban_kernels` for the architecture."""
    out: Path

    @property
    def minor(self) -> int:
        """Of its Python 3."""
        return RELEASES[self.release][1]


def run(*words: str | Path, cwd: Path = ROOT, env: dict[str, str] | None = None) -> str:
    """Run a program; its output. What fails ends the build with what it said."""
    done = subprocess.run(
        [str(word) for word in words],
        cwd=cwd,
        env={**os.environ, **(env or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        sys.exit(f"package: {words[0]} failed:\n{done.stdout}{done.stderr}")
    return done.stdout


def version_of(release: str) -> tuple[str, int]:
    """The package's version, which grows with each commit, and the commit's time."""
    at = int(run("git", "log", "-1", "--format=%ct"))
    stamp = run("git", "log", "-1", "--format=%cd", "--date=format-local:%Y%m%d.%H%M%S",
                env={"TZ": "UTC"}).strip()  # fmt: skip
    return f"{__version__}+{stamp}~deb{RELEASES[release][0]}", at


def wheel_words(verb: str, arch: str, minor: int) -> list[str]:
    """The beginning of a call of pip that takes wheels alone, for another machine's Python 3."""
    cpu = CPUS[arch]
    tags = [f"manylinux_2_{glibc}_{cpu}" for glibc in GLIBCS] + [f"manylinux2014_{cpu}"]
    words = [sys.executable, "-m", "pip", verb, "-q", "--disable-pip-version-check"]
    words += ["--require-hashes", "--no-deps", "--only-binary", ":all:", "--implementation", "cp"]
    words += ["--python-version", f"3.{minor}", "--abi", f"cp3{minor}"]
    # pip holds what a wheel requires against the Python that pip runs on, not the one it is for.
    words += ["--abi", "abi3", "--abi", "none", "--ignore-requires-python"]
    return [*words, *(part for tag in tags for part in ("--platform", tag))]


def lock_for(lock: str, minor: int, folder: Path, names: Collection[str] | None = None) -> Path:
    """A lock's entries for one Python, all or those of these names: pip judges markers by the
    Python that it runs on."""
    folder.mkdir(parents=True, exist_ok=True)
    kept: list[str] = []
    takes = True
    for line in (ROOT / "packaging/locks" / f"{lock}.lock").read_text("utf-8").splitlines():
        if line and not line[0].isspace() and not line.startswith("#"):
            found = re.search(r"python_full_version ([<>=]+) '3\.(\d+)'", line)
            takes = found is None or {
                "<": minor < int(found[2]), ">=": minor >= int(found[2]),
            }[found[1]]  # fmt: skip
            takes = takes and (names is None or line.partition("==")[0] in names)
            line = re.sub(r" ; [^\\]*(?= \\|$)", "", line)
        if takes:
            kept.append(line)
    path = folder / f"{lock}-3.{minor}.txt"
    path.write_text("\n".join(kept) + "\n")
    return path


def site(tree: Path, target: Target) -> None:
    """All Python packages, unpacked from the release's wheels whatever this machine is; the lock
    with its hashes stands beside the package's papers."""
    into = tree / SITE
    (own,) = target.wheels.glob("lumiban-*.whl")
    lock = lock_for("base", target.minor, tree / "usr/share/doc/lumiban")
    more = ["--no-index", "--find-links", target.wheels, "--no-compile", "--target", into]
    more += ["--root-user-action=ignore"]
    run(*wheel_words("install", target.arch, target.minor), *more, "-r", lock)
    run(sys.executable, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-deps",
        *more, own)  # fmt: skip
    shutil.rmtree(into / "bin", ignore_errors=True)
    for tests in sorted(into.rglob("tests")):
        if tests.is_dir():
            shutil.rmtree(tests)
    for told in into.glob("lumiban-*.dist-info/*.json"):  # where the wheel lay while it was built
        told.unlink()
    name_what_is_there(into)
    shutil.copytree(target.kernels, into / target.kernels.name)


def name_what_is_there(into: Path) -> None:
    """Take files that are gone out of the packages' lists: sums of commands name this Python."""
    for record in into.glob("*.dist-info/RECORD"):
        lines = record.read_text("utf-8").splitlines(keepends=True)
        kept = (line for line in lines if (into / line.split(",")[0]).exists())
        record.write_text("".join(kept), "utf-8")


def put(source: Path, place: Path, mode: int = 0o644) -> None:
    """Copy a file into the tree."""
    place.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(source, place)
    place.chmod(mode)


def pressed(text: str, place: Path) -> None:
    """Write a text gzipped, without a time."""
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def step(what: str) -> None:
    """Tell what begins now."""
    print(f"package: {what} ...", file=sys.stderr, flush=True)


def base_tree(tree: Path, source: Path, target: Target) -> None:
    """All files of the package lumiban."""
    site(tree, target)
    put(DEBIAN / "lumiban", tree / "usr/bin/lumiban", 0o755)
    put(DEBIAN / "lumiban-update", tree / "usr/sbin/lumiban-update", 0o755)
    for unit in (*DEBIAN.glob("*.service"), *DEBIAN.glob("*.path")):
        put(unit, tree / "usr/lib/systemd/system" / unit.name)
    put(DEBIAN / "lumiban.sysusers", tree / "usr/lib/sysusers.d/lumiban.conf")
    put(DEBIAN / "70-lumiban.rules", tree / "usr/lib/udev/rules.d/70-lumiban.rules")
    put(source / "docs/serve.md", tree / "usr/share/doc/lumiban/serve.md")
    for name in ("lumiban", "lumiban-update"):
        section = "1" if name == "lumiban" else "8"
        manual = (DEBIAN / f"{name}.{section}").read_text("utf-8")
        pressed(manual, tree / f"usr/share/man/man{section}/{name}.{section}.gz")


def strip_modes(tree: Path) -> None:
    """The rights that files have in a package."""
    for path in [tree, *tree.rglob("*")]:
        if path.is_symlink():
            continue
        runs = path.is_dir() or bool(path.stat().st_mode & 0o100 and path.suffix in ("", ".sh"))
        path.chmod(0o755 if runs else 0o644)


MEANT = """\
# Wheels as they are, with the licences and libraries that they bring.
{name}: unusual-interpreter *
{name}: embedded-library *
{name}: extra-license-file *
{name}: unstripped-binary-or-object *
# Kernels count: they call nothing of the system's.
{name}: library-not-linked-against-libc *
{name}: shared-library-lacks-prerequisites *
# Not of the Debian archive: nobody's address, and units switched by systemd itself.
{name}: bogus-mail-host *
{name}: bogus-mail-host-in-debian-changelog *
{name}: maintainer-script-calls-systemctl *
"""
"""Findings of lintian that are right and intended."""


def pack(name: str, tree: Path, depends: str, about: str, target: Target) -> Path:
    """Close a tree as a package; its path."""
    version, at = version_of(target.release)
    doc = tree / "usr/share/doc" / name
    doc.mkdir(parents=True, exist_ok=True)
    put(DEBIAN / "copyright", doc / "copyright")
    when = run("date", "-u", "-R", "-d", f"@{at}").strip()
    log = f"{name} ({version}) {target.release}; urgency=medium\n\n  * See CHANGELOG.md.\n\n"
    pressed(f"{log} -- {MAINTAINER}  {when}\n", doc / "changelog.gz")
    put_text(tree / "usr/share/lintian/overrides" / name, MEANT.format(name=name))
    strip_modes(tree)
    size = sum(path.lstat().st_size for path in tree.rglob("*") if path.is_file())
    control = tree / "DEBIAN"
    control.mkdir()
    put_text(
        control / "control",
        f"Package: {name}\nVersion: {version}\nArchitecture: {target.arch}\n"
        f"Maintainer: {MAINTAINER}\nInstalled-Size: {size // 1024 + 1}\nDepends: {depends}\n"
        # Up to 0.2 numba had a package of its own.
        "Conflicts: lumiban-fast\nReplaces: lumiban-fast\n"
        f"Section: misc\nPriority: optional\nDescription: {about}\n",
    )
    put_text(control / "md5sums", "".join(sums(tree)))
    if name == "lumiban":
        for script, mode in MODES.items():
            put(DEBIAN / script, control / script, mode)
    for path in [tree, *tree.rglob("*")]:
        os.utime(path, (at, at), follow_symlinks=False)
    target.out.mkdir(parents=True, exist_ok=True)
    out = target.out / f"{name}_{version}_{target.arch}.deb"
    run("dpkg-deb", "--root-owner-group", "-Zxz", "-z1", "--threads-max=1", "--build", tree, out,
        env={"SOURCE_DATE_EPOCH": str(at)})  # fmt: skip
    return out


def sign(folder: Path, key: str) -> None:
    """Make a repository of apt of all packages in a folder, signed with a key of GnuPG, and put the
    key's public half beside it."""
    entries = []
    for deb in sorted(folder.glob("*.deb")):
        control = run("dpkg-deb", "--field", deb)
        digest = hashlib.sha256(deb.read_bytes()).hexdigest()
        size = deb.stat().st_size
        entries.append(f"{control}Filename: ./{deb.name}\nSize: {size}\nSHA256: {digest}\n")
    packages = "\n".join(entries).encode()
    (folder / "Packages").write_bytes(packages)
    digest = hashlib.sha256(packages).hexdigest()
    when = run("date", "-u", "-R").strip()
    release = f"Origin: lumiban\nDate: {when}\nSHA256:\n {digest} {len(packages)} Packages\n"
    with tempfile.TemporaryDirectory() as work:
        text = Path(work) / "Release"
        text.write_text(release)
        for name, words in (
            ("InRelease", ("--clearsign", text)),
            ("lumiban.gpg", ("--export", key)),
        ):
            run("gpg", "--batch", "--yes", "--local-user", key, "--output", folder / name, *words)


def sums(tree: Path) -> Iterable[str]:
    """The lines of md5sums."""
    for path in sorted(tree.rglob("*")):
        where = path.relative_to(tree)
        if path.is_file() and where.parts[0] != "DEBIAN":
            digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
            yield f"{digest}  {where}\n"


def put_text(path: Path, text: str) -> None:
    """Write a file of the package."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")


ABOUT = """\
table for abstract games on a lit board that senses its pieces
 Boards with lights and sensors become tables: plug one in, it breathes, touch
 it and play against machines or people. Runs as a service with a page of its
 own; nothing is downloaded at installation."""


def build(target: Target, source: Path) -> Path:
    """Build the package for a target from the sources; its path."""
    python = f"python3 (>= 3.{target.minor}), python3 (<< 3.{target.minor + 1})"
    with tempfile.TemporaryDirectory(prefix="lumiban-package-") as folder:
        base = Path(folder) / "base"
        base_tree(base, source, target)
        needs = f"{python}, libc6, systemd, passwd"
        return pack("lumiban", base, needs, ABOUT, target)
