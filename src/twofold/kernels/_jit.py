"""The one decorator for kernels, and the cache folder of their machine code.

Numba's own cache looks only at the file that defines a function. Here the folder's name is a hash
of every kernel source, Numba's version, the processor and the settings; folders not used for 30
days are removed. Numba executes what it reads there, pickles and machine code, so a folder that
another user of the machine can change is not used.

A kernel is loaded at its first use: a player needs about twelve of several hundred.
"""

import contextlib
import hashlib
import os
import platform
import re
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

import llvmlite
import llvmlite.binding as llvm
import platformdirs
from numba.core import caching, registry, typeinfer
from numba.core.compiler_lock import global_compiler_lock
from numba.core.runtime import nrt

from twofold.kernels import note_built
from twofold.kernels._numba import numba
from twofold.storage.files import make_private, shared_place

_NAME: Final = re.compile(r"[0-9a-f]{20}", re.ASCII)
_UNUSED_SECONDS: Final = 30 * 86_400.0
_DIGEST_BYTES: Final = hashlib.sha256().digest_size

_OPTIONS: Final = {
    "nopython": True,
    "nogil": True,
    "error_model": "numpy",
    "fastmath": False,
    "boundscheck": None,
}
"""Numba's options for kernels."""

QUICK: Final = (0, 61) <= numba.version_info.short <= (0, 68)
"""True if kernels are loaded without Numba's tables of all functions that it can compile.

Numba fills them before it loads anything, which takes 0.2 s. Only compiling reads them, and it
fills them itself. Tested with Numba 0.61, 0.64 and 0.68; newer versions load as they always do.
"""

PLAIN: Final = os.environ.get("TWOFOLD_PLAIN", "") not in ("", "0")
"""Whether kernels avoid the processor's special instructions (BMI2, AVX2); for tests."""


def has_feature(name: str) -> bool:
    """Whether kernels may use a processor feature such as `bmi2`."""
    config: Any = numba.config
    if PLAIN:
        return False
    if config.CPU_FEATURES is not None:  # NUMBA_CPU_NAME=generic, or NUMBA_CPU_FEATURES
        return f"+{name}" in config.CPU_FEATURES.split(",")
    return bool(llvm.get_host_cpu_features().get(name, False))


def source_hash() -> str:
    """Hash of all kernel sources."""
    digest = hashlib.sha256()
    folder = Path(__file__).parent
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
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
        str(config.CPU_FEATURES),
        str(config.OPT),
    )
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]


def _choose_folder() -> Path | None:
    root = Path(
        os.environ.get("TWOFOLD_CACHE_DIR") or platformdirs.user_cache_dir("twofold", False)
    )
    folder = (root / "kernels" / _settings_hash()).absolute()
    try:
        make_private(folder)
        shared = shared_place(folder)
        with tempfile.TemporaryFile(dir=folder):
            os.utime(folder)
    except OSError:
        why = f"{root} is not writable"
    else:
        why = "" if shared is None else f"other users of this machine can change {shared}"
    if why:
        sys.stderr.write(f"twofold: {why}; compiled kernels are kept for this run only\n")
        return None
    _remove_unused(folder)
    return folder


def _remove_unused(current: Path) -> None:
    with contextlib.suppress(OSError), os.scandir(current.parent) as found:
        for one in found:
            if one.name == current.name or not _NAME.fullmatch(one.name):
                continue
            unused = time.time() - one.stat(follow_symlinks=False).st_mtime
            if unused > _UNUSED_SECONDS:
                shutil.rmtree(one.path, ignore_errors=True)


CACHE_FOLDER: Final = _choose_folder()
"""The folder of cached machine code; None without a safe folder, then nothing is kept."""


class _Locator:
    """Numba's locator for the cache folder, whose name already identifies the sources."""

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._line = function.__code__.co_firstlineno
        self._folder = folder

    def ensure_cache_path(self) -> None:
        make_private(self._folder)

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return str(self._line)

    @classmethod
    def from_function(cls, function: Callable[..., Any], _file: str) -> "_Locator | None":
        return None if CACHE_FOLDER is None else cls(function, CACHE_FOLDER)


@contextlib.contextmanager
def _own_locator() -> Iterator[None]:
    """Ignore NUMBA_CACHE_LOCATOR_CLASSES: other locators do not know the hash of our sources."""
    config: Any = numba.config
    asked = getattr(config, "CACHE_LOCATOR_CLASSES", "")
    config.CACHE_LOCATOR_CLASSES = ""
    try:
        yield
    finally:
        config.CACHE_LOCATOR_CLASSES = asked


class _CacheImpl(caching.CompileResultCacheImpl):
    _locator_classes: Any = (_Locator,)


class _Files(caching.IndexDataCacheFile):
    """Numba's files, with a hash at the end: executing damaged machine code ends Python."""

    def _dump(self, content: Any) -> bytes:
        dumped: bytes = super()._dump(content)
        return dumped + hashlib.sha256(dumped).digest()

    def _load_data(self, name: str) -> Any:
        found = Path(self._data_path(name)).read_bytes()
        if hashlib.sha256(found[:-_DIGEST_BYTES]).digest() != found[-_DIGEST_BYTES:]:
            raise ValueError("damaged")
        return super()._load_data(name)


class _Cache(caching.FunctionCache):
    """Numba's cache; its errors are ignored, since every kernel can be compiled again."""

    _impl_class = _CacheImpl

    def __init__(self, function: Callable[..., Any]) -> None:
        with _own_locator():
            super().__init__(function)
        impl = self._impl
        stamp = impl.locator.get_source_stamp()
        self._cache_file = _Files(self._cache_path, impl.filename_base, stamp)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The cached machine code; None if the kernel must be compiled."""
        found = None
        try:
            found = self._load(sig, target_context)
        except Exception:  # a damaged pickle can raise any
            with contextlib.suppress(OSError):
                self.flush()
        if found is None:
            note_built(self._py_func.__name__)
        return found

    def _load(self, sig: Any, target_context: Any) -> Any:
        if not QUICK:
            return super().load_overload(sig, target_context)
        nrt.rtsys.initialize(target_context)
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)

    def save_overload(self, *result: Any) -> None:
        with contextlib.suppress(OSError):  # a full disk
            super().save_overload(*result)


_INTERRUPTS: Final = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]
_handlers: dict[int, Callable[[int, FrameType | None], Any]] = {}
"""What these signals do outside; empty while no kernel is compiled."""
_waiting: list[int] = []
"""The signals that came meanwhile."""


@contextlib.contextmanager
def _interrupts_wait() -> Iterator[None]:
    """Have signals that interrupt wait for the end of a compilation; a second one does not.

    LLVM cannot raise what a handler raises in its callbacks, and half-made objects of LLVM may end
    Python. Where a kernel is compiled for another one, the signals wait for the inner one alone.
    """
    if threading.current_thread() is not threading.main_thread():  # others get no signals
        yield
        return
    is_outer = not _handlers
    if is_outer:
        _hold()
    try:
        yield
    finally:
        if is_outer or _waiting:
            handlers = _release()
            if _waiting:
                number = _waiting[0]
                _waiting.clear()
                handlers[number](number, sys._getframe())  # usually raises
            if not is_outer:
                _hold()


def _hold() -> None:
    known = {number: signal.getsignal(number) for number in _INTERRUPTS}
    _handlers.update((number, one) for number, one in known.items() if callable(one))
    for number in _handlers:
        signal.signal(number, _note)


def _release() -> dict[int, Callable[[int, FrameType | None], Any]]:
    handlers = dict(_handlers)
    for number, handler in handlers.items():
        signal.signal(number, handler)
    _handlers.clear()
    return handlers


def _note(number: int, frame: FrameType | None) -> None:
    if _waiting:
        _handlers[number](number, frame)
    _waiting.append(number)


class Kernel(registry.CPUDispatcher):
    """A kernel, loaded from the cache folder or compiled at its first use.

    That is a call, `address_of`, or the compilation of a kernel that calls it; machine code in the
    cache contains its callees.

    Attributes:
        declared: the only signature.
    """

    declared: Any = None
    _can_compile: bool
    _cache: Any

    def load(self) -> None:
        """Load or compile the kernel now, unless it is ready; for any thread."""
        if not self._can_compile:
            return
        with global_compiler_lock:
            if self._can_compile:
                with _interrupts_wait():
                    super().compile(self.declared)
                self.disable_compile()

    def __get__(self, _holder: Any, _kind: Any = None) -> "Kernel":  # type: ignore[override]
        return self  # a kernel in a class is no method

    def compile(self, sig: Any) -> Any:
        """Load the kernel. Numba calls this with types that it met, before it looks for a match."""
        with global_compiler_lock:
            if self.is_compiling:  # a kernel that calls itself
                return super().compile(sig)
            self.load()
        results: list[Any] = list(self.overloads.values())
        return results[0].entry_point

    def _compile_for_args(self, *_args: Any, **_names: Any) -> Any:
        """Load the kernel for its first call; Numba then calls the result, which is ready."""
        self.load()
        return self


DECLARED: Final[list[Kernel]] = []
"""The kernels of all modules imported so far that are compiled or loaded at first use."""


def kernel(signature: Any, *, cached: bool = True) -> Callable[[Callable[..., Any]], Any]:
    """Compile a function for one signature.

    The function releases the GIL, follows IEEE 754 exactly, and division by zero gives infinity
    or NaN. Only kernels of this package can be `cached`, since their sources name the folder; they
    are compiled, or loaded from the folder, at their first use. Others are compiled now.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        made = Kernel(function, targetoptions=dict(_OPTIONS))
        made.declared = signature
        if not cached:
            with typeinfer.register_dispatcher(made):  # a kernel may call itself
                made.load()
            return made
        if CACHE_FOLDER is not None:
            made._cache = _Cache(function)
        DECLARED.append(made)
        return made

    return decorate


def load(*kernels: Any) -> None:
    """Load or compile kernels now, so that no time that is measured later includes it."""
    for one in kernels:
        one.load()


def address_of(function: Any) -> int:
    """The address of a compiled kernel, for `intrinsics.call_*`; raises `TypeError`."""
    from numba.core.types.function_type import CompileResultWAP

    if isinstance(function, Kernel):
        function.load()
    results = list(getattr(function, "overloads", {}).values())
    if len(results) != 1:
        raise TypeError(f"expected a function compiled for one signature, got {function!r}")
    (result,) = results
    wrapper: Any = CompileResultWAP(result)
    return int(wrapper.address)
