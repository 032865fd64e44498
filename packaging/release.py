"""A release, one folder from which lumiban is installed without a network: `./run package`.

    README.md    what to type, ten commands; `trial.py` tries just these
    wheels/      lumiban, pytest-lumiban, lumiban-hardware, the bots' kernels, and all that they
                 need, for the Pythons of Debian 12 and 13 on x86-64 and aarch64
    12/ 13/      Debian packages, a folder for each release of the system
    card/        what a Pi's card takes that asks nothing
    firmware/    the program of a board's Pico, compiled, as `mpremote romfs deploy` takes it
    drawings/    circuit boards and wiring
    sbom.json    what is inside, with licences (CycloneDX); SHA256SUMS has each file's sum

Everything comes from the commit and its locks: the same commit gives the same bytes.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import kernels
from lumiban import __version__

from build import CPUS, RELEASES, ROOT, Target, build, lock_for, run, sign, step, wheel_words

GAMES = ("control", "doves", "evening", "rengi", "trivia")
DISTRIBUTIONS = (".", "host/pytest_lumiban", "hardware")
TESTERS = {"pytest", "pluggy", "iniconfig", "packaging"}
"""What pytest-lumiban needs beside, by its name in the lock of the developers."""
LOCKS = {"base": None, "flash": None, "dev": TESTERS}
PROGRAM = """
import sys
from pathlib import Path
from lumiban.maker import flash
from lumiban.service.firmware_update import compile_program, program
out = Path(sys.argv[1])
compile_program(Path(sys.argv[2]))
flash.lay_out(out, program())
(out / "main.py").write_bytes(program()["main.py"])
"""
"""Compiles the board's program: into a folder, and as one file for the wheel."""


def sources(work: Path, out: Path) -> Path:
    """What git knows of this commit, and in it the board's program compiled; its folder too."""
    source = work / "src"
    run("git", "clone", "-q", "--shared", ROOT, source)
    path = os.pathsep.join(str(source / name) for name in ("host", "firmware", "hardware"))
    run(sys.executable, "-c", PROGRAM, out / "firmware",
        source / "host/lumiban/service/program.json", env={"PYTHONPATH": path})  # fmt: skip
    return source


def own_wheels(source: Path, wheels: Path) -> None:
    """Our distributions."""
    for folder in DISTRIBUTIONS:
        run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", wheels,
            cwd=source / folder)  # fmt: skip


def others_wheels(wheels: Path, work: Path) -> None:
    """The wheels that ours need, by the locks' hashes; one that a machine lacks ends the build."""
    for arch in sorted(CPUS):
        for _, minor in RELEASES.values():
            words = wheel_words("download", arch, minor)
            for lock, names in LOCKS.items():
                words += ["-r", str(lock_for(lock, minor, work / "locks", names))]
            run(*words, "-d", wheels)


def bill(wheels: Path, work: Path, out: Path) -> None:
    """Install all of this machine's wheels, and write what they are."""
    run(sys.executable, "-m", "venv", work / "venv")
    python = work / "venv" / "bin" / "python"
    own = [path.name.split("-")[0] for path in wheels.glob("*umiban*") if machine_s(path)]
    run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--no-index",
        "--no-compile", "--find-links", wheels, "lumiban[flash]", *sorted(own))  # fmt: skip
    run(python, "-m", "pip", "uninstall", "-q", "-y", "setuptools", "pip")
    run(sys.executable, "-m", "cyclonedx_py", "environment", "--output-reproducible",
        "--output-file", out / "sbom.json", python)  # fmt: skip


def machine_s(wheel: Path) -> bool:
    """True if this machine takes a wheel of ours."""
    return wheel.stem.endswith(("any", os.uname().machine))


def copies(source: Path, out: Path) -> None:
    """Files that are as they stand: the card's, drawings, licence, and what to type."""
    shutil.copytree(source / "packaging/card", out / "card")
    shutil.copytree(source / "hardware/drawings", out / "drawings")
    for pattern in ("hardware-*.svg", "maker-*.svg"):
        for picture in (source / "docs/pictures").glob(pattern):
            shutil.copy(picture, out / "drawings")
    shutil.copy(source / "LICENSE", out)
    text = (source / "packaging/release.md").read_text("utf-8")
    (out / "README.md").write_text(text.replace("VERSION", __version__, 1), "utf-8")


def sums(out: Path) -> None:
    """Write SHA256SUMS, as `sha256sum --check` reads it."""
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(out)}\n"
        for path in sorted(out.rglob("*"))
        if path.is_file()
    ]
    (out / "SHA256SUMS").write_text("".join(lines), "utf-8")


def release(wish: argparse.Namespace, out: Path) -> None:
    """Write all of a release into an empty folder."""
    wheels = out / "wheels"
    with tempfile.TemporaryDirectory(prefix="lumiban-release-") as folder:
        work = Path(folder)
        step("our wheels, and those that they need (downloaded once)")
        source = sources(work, out)
        own_wheels(source, wheels)
        others_wheels(wheels, work)
        (own,) = wheels.glob("lumiban-*.whl")
        shutil.unpack_archive(own, work / "site", "zip")
        for arch in wish.arch or sorted(CPUS):
            step(f"{arch}: the bots' kernels (minutes)")
            compiled = kernels.make(CPUS[arch], work / arch, work / "site", wish.games)
            kernels.wheel(CPUS[arch], compiled, wheels)
            for name in wish.release or sorted(RELEASES):
                step(f"{arch}: the package for {name}")
                build(Target(arch, name, wheels, compiled, out / str(RELEASES[name][0])), source)
        step("what is inside")
        bill(wheels, work, out)
        copies(source, out)
    for packages in out.glob("1[0-9]") if wish.sign else ():
        sign(packages, wish.sign)
    sums(out)


def told(out: Path) -> None:
    """Print what came of it, folder by folder."""
    for path in sorted(out.iterdir()):
        files = [file for file in (path, *path.rglob("*")) if file.is_file()]
        size = sum(file.stat().st_size for file in files)
        print(f"{size / 1e6:7.1f} MB  {len(files):3} in  {path}", flush=True)
    print(f"all of it goes by {out / 'README.md'}; ./run package --try {out} tries that")


def main(words: list[str]) -> int:
    """Build what the command line asks for."""
    parser = argparse.ArgumentParser(prog="./run package", description=__doc__.splitlines()[0])
    parser.add_argument("--arch", choices=sorted(CPUS), action="append", help="by default both")
    parser.add_argument("--release", choices=sorted(RELEASES), action="append", help="both too")
    parser.add_argument("--games", nargs="+", default=GAMES, choices=GAMES,
                        help="those whose kernels come along, by default all")  # fmt: skip
    parser.add_argument("--out", type=Path, default=ROOT / "build" / "release")
    parser.add_argument("--sign", metavar="KEY", help="of GnuPG: makes sources of updates")
    parser.add_argument("--try", dest="tried", type=Path, metavar="FOLDER", help="try a release")
    wish, rest = parser.parse_known_args(words)
    if wish.tried is not None:
        return subprocess.call([sys.executable, ROOT / "packaging/trial.py", wish.tried, *rest])
    if rest:
        parser.error(f"not understood: {' '.join(rest)}")
    if wish.sign:  # before minutes of work
        run("gpg", "--batch", "--list-secret-keys", wish.sign)
    if wish.out.exists() and not (wish.out / "SHA256SUMS").exists():
        parser.error(f"{wish.out} is there and holds no release; name another folder")
    os.umask(0o022)  # rights go along, and dpkg-deb wants these
    half = wish.out.with_name(f"{wish.out.name}.half")
    shutil.rmtree(half, ignore_errors=True)
    (half / "wheels").mkdir(parents=True)
    release(wish, half)
    shutil.rmtree(wish.out, ignore_errors=True)
    half.rename(wish.out)
    told(wish.out)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
