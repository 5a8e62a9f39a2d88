"""The file of a tuning: an Optuna study in SQLite, used by one tuning at a time."""

import contextlib
import json
import os
import re
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from twofold.arena.studies.sqlite import Deadline, is_sqlite, open_sqlite, room_beside, schema_of
from twofold.arena.tuning.sampling import START, finished_trials
from twofold.arena.tuning.settings import TuningSettings
from twofold.errors import InvalidInput, MissingExtra, ResourceError, TwofoldError
from twofold.files import atomic_write
from twofold.locks import in_use
from twofold.notation import shown

if TYPE_CHECKING:
    from optuna import Study
    from optuna.trial import FrozenTrial

STUDY: Final = "twofold tune"
"""Name of the study in the file."""

SETTINGS: Final = "settings"
CHECKS: Final = "checks"
"""Attributes of the study."""

MAX_ENTRIES: Final = 200
"""Largest number of tables and indexes of a file; Optuna 5 makes 24."""

_PLAIN: Final = re.compile(r"CREATE (?:TABLE|INDEX|UNIQUE INDEX) ")
"""The beginning of SQLite's statement for a table or an index."""

_NOT_ITS_CONTENT: Final = ("locked", "full", "I/O", "unable to open", "readonly")
"""Words in SQLite errors that are not about the content of a file."""


def require_tune() -> None:
    """Check that the extra `tune` is installed.

    Raises:
        MissingExtra: Optuna or its CMA-ES is not installed.
    """
    try:
        import cmaes  # noqa: F401
        import optuna
    except ImportError:
        raise MissingExtra.of("tune", "tuning") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def open_study(path: Path, settings: TuningSettings) -> "Study":
    """Open the study in a file, or make a new file.

    Raises:
        InvalidInput: the file is not from a tuning, or has other settings.
        ResourceError: it cannot be read or written.
    """
    if not path.exists():
        _create(path, settings)
    check_settings(path, settings)
    return connect(path)


def connect(path: Path) -> "Study":
    """Open the study in a file that was checked."""
    with storage_errors(path):
        return _study(path)


def _study(path: Path) -> "Study":
    """Open the study so that each transaction first waits for the lock to write."""
    from sqlalchemy import event
    from sqlalchemy.pool import NullPool

    deadline = Deadline()

    def begin(connection: Any) -> None:
        connection.exec_driver_sql("BEGIN EXCLUSIVE")  # the commit then needs no further lock

    def fail(context: Any) -> None:
        if str(context.original_exception) == "interrupted":
            deadline.explain(shown(str(path)))

    def opened() -> sqlite3.Connection:
        deadline.renew()
        return open_sqlite(path, "rw", deadline)

    storage = _storage(opened, NullPool)  # a URL cannot hold all characters of a path
    event.listen(storage.engine, "begin", begin)
    event.listen(storage.engine, "handle_error", fail)
    return _loaded(storage)


def _storage(creator: Callable[[], sqlite3.Connection], pool: type) -> Any:
    from optuna.storages import RDBStorage

    return RDBStorage("sqlite://", engine_kwargs={"creator": creator, "poolclass": pool})


def _loaded(storage: Any) -> "Study":
    import optuna

    return optuna.create_study(
        storage=storage, study_name=STUDY, direction="maximize", load_if_exists=True
    )


def _create(path: Path, settings: TuningSettings) -> None:
    """Write a complete new file in one step."""
    from sqlalchemy.pool import StaticPool

    with storage_errors(path), contextlib.closing(sqlite3.connect(":memory:")) as connection:
        study = _loaded(_storage(lambda: connection, StaticPool))
        study.set_user_attr(SETTINGS, settings.document())
        content = connection.serialize()
    atomic_write(path, content)


def check_settings(path: Path, settings: TuningSettings) -> None:
    """Refuse a file with other content before Optuna makes tables in it, or with other settings.

    Raises:
        InvalidInput: the message names the difference.
    """
    found = _read_settings(path)
    for name, ours in settings.document().items():
        theirs = found.get(name)
        if theirs != ours:
            raise InvalidInput(
                f"expected {name} {shown(theirs)} as in {shown(str(path))}, got {shown(ours)}. "
                "Use the same settings or another file"
            )


def _read_settings(path: Path) -> Mapping[str, Any]:
    refusal = InvalidInput(f"expected a file made by 'twofold tune', got {shown(str(path))}")
    if not is_sqlite(path):
        raise refusal
    if not os.access(path, os.W_OK):
        raise InvalidInput(f"expected a writable file, got {shown(str(path))}")
    deadline = Deadline()
    try:
        with contextlib.closing(open_sqlite(path, "rw", deadline)) as connection:
            found = _stored_settings(connection, path)
    except sqlite3.Error as error:
        if str(error) == "interrupted":
            deadline.explain(shown(str(path)))
        if any(word in str(error) for word in _NOT_ITS_CONTENT):
            raise _translated(path, error) from error
        raise refusal from None
    except (IndexError, TypeError, ValueError, RecursionError) as error:
        raise error if isinstance(error, InvalidInput) else refusal from None
    if not isinstance(found, dict):
        raise refusal
    return found


def _stored_settings(connection: sqlite3.Connection, path: Path) -> Any:
    _check_tables(connection, path)
    rows = connection.execute(
        "SELECT value_json FROM study_user_attributes JOIN studies USING (study_id)"
        " WHERE study_name = ? AND key = ?",
        (STUDY, SETTINGS),
    ).fetchall()
    return json.loads(rows[0][0])


def _check_tables(connection: sqlite3.Connection, path: Path) -> None:
    """Refuse everything but tables and indexes, and damaged trees.

    A view in place of a table would run statements stored in the file. Other tables are allowed,
    since versions of Optuna differ.
    """
    name = shown(str(path))
    entries = schema_of(connection, MAX_ENTRIES + 1)
    for kind, entry, _, sql in entries[:MAX_ENTRIES]:
        plain = _PLAIN.match(sql) if isinstance(sql, str) else sql is None and kind == "index"
        if not plain:
            raise InvalidInput(f"expected only tables and indexes in {name}, got {shown(entry)}")
    if len(entries) > MAX_ENTRIES:
        raise InvalidInput(f"expected at most {MAX_ENTRIES} tables and indexes in {name}, got more")
    (sound,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if sound != "ok":
        raise InvalidInput(f"expected a valid file of trials, got {name}: {_line(sound)}")


@contextlib.contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Translate errors of Optuna and SQLite."""
    import optuna.exceptions
    import sqlalchemy.exc

    faults = (optuna.exceptions.OptunaError, sqlalchemy.exc.SQLAlchemyError, sqlite3.Error)
    try:
        yield
    except TwofoldError:
        raise
    except faults as error:
        raise _translated(path, error) from error
    except (AssertionError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise InvalidInput(
            f"expected a valid file of trials, got {shown(str(path))}: {_reason(error)}"
        ) from error


def _translated(path: Path, error: Exception) -> TwofoldError:
    name, reason = shown(str(path)), _reason(error)
    if "locked" in reason:
        return in_use(name)
    if any(word in reason for word in ("malformed", "not a database", "no such", "corrupt")):
        return InvalidInput(f"expected a valid file of trials, got {name}: {reason}")
    return ResourceError(f"cannot use {name} ({room_beside(path)}): {reason}")


def _reason(error: BaseException) -> str:
    """The first cause in a chain of errors, on one line."""
    while error.__cause__ is not None:
        error = error.__cause__
    return _line(getattr(error, "orig", None) or error) or type(error).__name__


def _line(text: object) -> str:
    return shown(" ".join(str(text).split()))[1:-1]


def fail(study: "Study", number: int) -> None:
    """Mark a trial as failed."""
    from optuna.trial import TrialState

    # Its process may have finished it meanwhile, even while `tell` runs: a RuntimeError.
    with contextlib.suppress(ValueError, RuntimeError):
        study.tell(number, state=TrialState.FAIL)


def fail_running(study: "Study") -> None:
    """Mark the trials under way as failed, when no process works on them."""
    from optuna.trial import TrialState

    for trial in study.get_trials(deepcopy=False, states=(TrialState.RUNNING,)):
        fail(study, trial.number)


def ensure_start(study: "Study", settings: TuningSettings) -> None:
    """Queue the start weights as the next trial, unless they have a trial."""
    from optuna.trial import TrialState

    states = (TrialState.COMPLETE, TrialState.WAITING, TrialState.RUNNING)
    if not any(START in trial.user_attrs for trial in study.get_trials(False, states)):
        study.enqueue_trial(settings.start, user_attrs={START: True})


def sound_trials(study: "Study", settings: TuningSettings) -> "list[FrozenTrial]":
    """The finished trials; ValueError if one has other weights or no value."""
    trials = finished_trials(study)
    names = {weight.name for weight in settings.weights}
    for trial in trials:
        if set(trial.params) != names or trial.value is None:
            raise ValueError(f"trial {trial.number} lacks weights or a value")
        for weight in settings.weights:
            if not weight.low <= trial.params[weight.name] <= weight.high:
                raise ValueError(f"trial {trial.number} has a weight out of its range")
    return trials
