"""The one decorator for kernels, and the folder where their machine code is kept.

Numba's own cache looks only at the file that defines a function: after a change in another
module it would serve stale code. Here the folder's name is a hash of every kernel source, of
Numba's version, of the processor and of the settings, so that a change of any of them starts
an empty folder. Folders not used for 30 days are removed.
"""

import atexit
import hashlib
import os
import platform
import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import llvmlite
import llvmlite.binding as llvm
import platformdirs
from numba.core import caching, typeinfer

from twofold.kernels import BUILT
from twofold.kernels._numba import numba

_UNUSED_SECONDS: Final = 30 * 86_400.0

PLAIN: Final = os.environ.get("TWOFOLD_PLAIN", "") not in ("", "0")
"""Whether kernels avoid the processor's special instructions (BMI2, AVX2); for tests."""


def has_feature(name: str) -> bool:
    """Whether kernels may use a processor feature such as `bmi2`."""
    return not PLAIN and bool(llvm.get_host_cpu_features().get(name, False))


def source_hash() -> str:
    """Hash of all kernel sources: it changes when any of them does."""
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def _settings_hash() -> str:
    config: Any = numba.config
    parts = (
        source_hash(),
        numba.__version__,
        llvmlite.__version__,
        platform.python_version(),
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        str(PLAIN),
        str(config.BOUNDSCHECK),
        str(config.CPU_NAME),
        str(config.OPT),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def _writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _choose_folder() -> Path:
    root = Path(
        os.environ.get("TWOFOLD_CACHE_DIR") or platformdirs.user_cache_dir("twofold", False)
    )
    folder = root / "kernels" / _settings_hash()
    if _writable(folder):
        os.utime(folder)
        _remove_unused(folder)
        return folder
    temporary = Path(tempfile.mkdtemp(prefix="twofold-kernels-"))
    atexit.register(shutil.rmtree, temporary, ignore_errors=True)
    sys.stderr.write(
        f"twofold: {root} is not writable; compiled kernels are kept for this run only\n"
    )
    return temporary


def _remove_unused(current: Path) -> None:
    for folder in current.parent.iterdir():
        try:
            if folder != current and time.time() - folder.stat().st_mtime > _UNUSED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            continue


CACHE_FOLDER: Final = _choose_folder()
"""Where machine code is kept."""


class _Locator:
    """Tells Numba's cache where to look; the folder's name already says what is in it."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self._line = function.__code__.co_firstlineno

    def ensure_cache_path(self) -> None:
        CACHE_FOLDER.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(CACHE_FOLDER)

    def get_source_stamp(self) -> str:
        return CACHE_FOLDER.name

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, function: Callable[..., Any], _file: str) -> "_Locator":
        return cls(function)


class _CacheImpl(caching.CompileResultCacheImpl):
    _locator_classes: Any = (_Locator,)


class _Cache(caching.FunctionCache):
    _impl_class = _CacheImpl

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The machine code that is kept; None means that it is compiled now."""
        found = super().load_overload(sig, target_context)
        if found is None:
            BUILT.append(self._py_func.__name__)
        return found


def kernel(signature: Any, *, cached: bool = True) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function for one signature, or load it from the cache folder.

    The GIL is released while it runs; arithmetic follows IEEE 754 to the letter, and division
    by zero gives infinity or NaN.

    Args:
        signature: a Numba signature, as text or as an object.
        cached: whether the machine code is kept; only for kernels of this package, whose
            sources name the folder.

    Returns:
        The compiled function. It accepts no other types.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        dispatcher: Any = numba.njit(nogil=True, error_model="numpy", fastmath=False)(function)
        if cached:
            dispatcher._cache = _Cache(function)
        with typeinfer.register_dispatcher(dispatcher):  # a kernel may call itself
            dispatcher.compile(signature)
        dispatcher.disable_compile()
        return dispatcher

    return decorate


def address_of(function: Any) -> int:
    """The address of a compiled kernel, to be called through `intrinsics.call_*`.

    Raises:
        TypeError: it is not a function compiled for one signature.
    """
    from numba.core.types.function_type import CompileResultWAP

    results = list(getattr(function, "overloads", {}).values())
    if len(results) != 1:
        raise TypeError(f"expected a function compiled for one signature, got {function!r}")
    (result,) = results
    wrapper: Any = CompileResultWAP(result)
    return int(wrapper.address)
