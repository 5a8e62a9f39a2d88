"""`twofold doctor`: what is installed here, what is missing; `twofold warmup` compiles kernels."""

import importlib.metadata
import os
import re
import shutil
import sys
import time
from pathlib import Path

import msgspec
import platformdirs
from rich.console import Console

from twofold.cli._options import JsonOption
from twofold.cli._output import machine, print_note, print_out, version_of, write_json
from twofold.errors import install
from twofold.figures import format_table
from twofold.limits import cores
from twofold.storage.files import shared_on_the_way

EXAMPLE = "  twofold doctor"

WARMUP_EXAMPLE = "  twofold warmup"

FEATURES = ("bmi2", "avx2", "avx512f", "popcnt", "neon")
DEVELOPMENT_EXTRAS = ("test", "check", "docs", "package")


def command(json: JsonOption = False) -> None:
    """Show what is installed, what it runs on, what is missing."""
    needs = _requirements()
    extras = {
        extra: {name: version_of(name) for name in names}
        for extra, names in needs.items()
        if extra not in ("", "all", *DEVELOPMENT_EXTRAS)
    }
    base = {name: version_of(name) for name in needs[""]}
    absent = {
        extra: [name for name, version in packages.items() if version is None]
        for extra, packages in {"": base, **extras}.items()
    }
    found = DoctorDocument(
        versions=dict(sorted((base | {"llvmlite": version_of("llvmlite")}).items())),
        features=_features(),
        memory_gib=_memory(),
        cache=_cache(),
        terminal=_terminal(),
        extras=extras,
        missing=[
            MissingDocument(extra, names, install(extra) if extra else "pip install twofold")
            for extra, names in absent.items()
            if names
        ],
    )
    if json:
        write_json("doctor", found)
    else:
        _print(found)


def warmup() -> None:
    """Compile all kernels now, so that later commands start at once."""
    from twofold.kernels.warmup import compile_all  # loads kernels

    began = time.perf_counter()
    compile_all(print_note, cores())
    print_out(f"all kernels are ready, {time.perf_counter() - began:.1f} s")


class CacheDocument(msgspec.Struct, frozen=True):
    """Where compiled kernels are kept.

    Attributes:
        folder: path of the folder.
        writable: true if it is used.
    """

    folder: str
    writable: bool


class TerminalDocument(msgspec.Struct, frozen=True):
    """The terminal.

    Attributes:
        colours: the colours that it shows, in words.
        columns: its width.
        lines: its height.
    """

    colours: str
    columns: int
    lines: int


class MissingDocument(msgspec.Struct, frozen=True):
    """Packages that are not installed.

    Attributes:
        extra: the extra that needs them; empty for twofold itself.
        packages: their names.
        get: the command that installs them.
    """

    extra: str
    packages: list[str]
    get: str


class DoctorDocument(msgspec.Struct, frozen=True, kw_only=True):
    """What is installed.

    Attributes:
        versions: version of each package that twofold needs; null if it is not installed.
        features: features of the processor that kernels use, and whether it has them.
        memory_gib: memory of the machine, in GiB; null if unknown.
        cache: where compiled kernels are kept.
        terminal: the terminal.
        extras: for each extra the version of each package; null if it is not installed.
        missing: packages that are not installed.
    """

    versions: dict[str, str | None]
    features: dict[str, bool]
    memory_gib: float | None
    cache: CacheDocument
    terminal: TerminalDocument
    extras: dict[str, dict[str, str | None]]
    missing: list[MissingDocument]


def _print(found: DoctorDocument) -> None:
    here = machine()
    cache, terminal = found.cache, found.terminal
    rows = [("twofold", here["twofold"]), ("python", f"{here['python']}  {sys.executable}")]
    rows += [(name, version or "missing") for name, version in found.versions.items()]
    has = [name for name, there in found.features.items() if there]
    rows += [
        ("system", here["system"]),
        ("processor", here["processor"]),
        ("features", " ".join(has) or "none of " + " ".join(FEATURES)),
        ("cores", str(here["cores"])),
        ("memory", "unknown" if found.memory_gib is None else f"{found.memory_gib} GiB"),
        ("cache", cache.folder + ("" if cache.writable else "  (not used)")),
        ("terminal", f"{terminal.colours}, {terminal.columns}x{terminal.lines}"),
    ]
    print_out(format_table(rows[0], rows[1:], left=(0, 1)))
    print_out("\nextras")
    width = max((len(name) for name in found.extras), default=0)
    missing = {one.extra: one for one in found.missing}
    for extra, packages in found.extras.items():
        line = ", ".join(f"{name} {version}" for name, version in packages.items())
        if one := missing.get(extra):
            line = f"{', '.join(one.packages)} not installed. Install with: {one.get}"
        print_out(f"  {extra:<{width}}  {line}")
    if base := missing.get(""):
        print_out(f"missing: {', '.join(base.packages)}. Install it with: {base.get}")
    if not cache.writable:
        print_out(
            "kernels are compiled anew by each command: make the cache folder one that you alone "
            "can write to"
        )


def _features() -> dict[str, bool]:
    """The processor features that kernels make use of."""
    try:
        from llvmlite import binding
    except ImportError:
        return {}
    found = binding.get_host_cpu_features()
    return {name: bool(found.get(name, False)) for name in FEATURES if name in found}


def _memory() -> float | None:
    """Memory of the machine in GiB, where the system tells."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
    return round(size / 2**30, 1)


def _cache() -> CacheDocument:
    """Where compiled kernels are kept, and whether that works."""
    chosen = os.environ.get("TWOFOLD_CACHE_DIR")
    folder = place = Path(chosen or platformdirs.user_cache_dir("twofold", appauthor=False))
    while not os.path.lexists(place) and place != place.parent:
        place = place.parent
    usable = place.is_dir() and os.access(place, os.W_OK) and shared_on_the_way(place) is None
    return CacheDocument(str(folder), usable)


def _terminal() -> TerminalDocument:
    size = shutil.get_terminal_size()
    system = Console().color_system
    names = {"standard": "16 colours", "256": "256 colours", "truecolor": "full colour"}
    colours = names.get(system or "", "no colour")
    if not sys.stdout.isatty():
        colours = "not a terminal"
    elif os.environ.get("NO_COLOR"):
        colours = "no colour (NO_COLOR is set)"
    return TerminalDocument(colours, size.columns, size.lines)


def _requirements() -> dict[str, list[str]]:
    """What the package needs, by extra; `""` is what it always needs."""
    found: dict[str, list[str]] = {"": []}
    for line in importlib.metadata.requires("twofold") or ():
        name = re.match(r"[A-Za-z0-9._-]+", line)
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", line)
        if name:
            found.setdefault(extra[1] if extra else "", []).append(name[0])
    return found
