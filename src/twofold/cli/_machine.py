"""What figures depend on: versions, processor, cores, system."""

import importlib.metadata
import os
import platform
from typing import Any

import twofold


def machine() -> dict[str, Any]:
    """What figures depend on: versions, processor, cores, system."""
    return {
        "twofold": version_of("twofold"),
        "python": platform.python_version(),
        "numba": version_of("numba"),
        "numpy": version_of("numpy"),
        "processor": processor(),
        "cores": cores(),
        "system": platform.platform(),
    }


def version_of(name: str) -> str | None:
    """The version of an installed distribution, without importing it."""
    if name == "twofold":
        return twofold.__version__
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def processor() -> str:
    """The name of the processor, as the system tells it."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


def cores() -> int:
    """Number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
