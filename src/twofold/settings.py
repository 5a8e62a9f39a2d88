"""Settings, each said once: the fields of a Struct give options, checks and a document.

    class Settings(msgspec.Struct, frozen=True, kw_only=True):
        gamma: Annotated[float, setting("Discount of one move.", "G", ge=0, le=1)] = 0.997

A command has the option `--gamma G` from it, with this help and this default; `check_settings`
refuses other values; `document` is what `--json` shows and a checkpoint stores.
"""

import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any, Final, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec

from twofold.errors import InvalidInput
from twofold.limits import check_limit

S = TypeVar("S", bound=msgspec.Struct)

_FORM: Final = "twofold"
"""The key of a `Form` in the `extra` of msgspec's `Meta`."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a setting is written.

    Attributes:
        metavar: name of its value in the help.
        option: name of its option, `--lambda`; empty for the key in documents; none without a help.
        argument: whether it is an argument instead of an option.
        follows: what a shell offers for it, see `cli.completion`.
        parse: its value from a text; or several settings by name, as a dict.
        format: its text in documents; None for those that JSON holds as they are.
        shown: the text that stands for the default in the help.
        or_zero: whether it may be 0, for never, below its smallest value.
    """

    metavar: str = ""
    option: str = ""
    argument: bool = False
    follows: str = ""
    parse: Callable[[str], Any] | None = None
    format: Callable[[Any], str] | None = None
    shown: str = ""
    or_zero: bool = False


@dataclass(frozen=True, slots=True)
class Setting:
    """A field of a Struct of settings, with its default, its constraints and its `Form`."""

    name: str
    key: str
    type: Any
    default: Any
    meta: msgspec.Meta
    form: Form

    @property
    def words(self) -> str:
        """Its name in messages."""
        return self.meta.title or self.key.replace("_", " ")

    @property
    def option(self) -> str:
        """The name of its option."""
        return self.form.option or f"--{self.key.replace('_', '-')}"


def setting(
    words: str = "",
    metavar: str = "",
    *,
    name: str | None = None,
    ge: float | None = None,
    le: float | None = None,
    **form: Any,
) -> msgspec.Meta:
    """The annotation of a field.

    Args:
        words: help of its option; without it there is none.
        metavar: name of its value in the help.
        name: its name in messages, if it differs from the field's.
        ge: smallest value.
        le: largest value.
        form: more of `Form`.
    """
    more = {_FORM: Form(metavar, **form)}
    return msgspec.Meta(title=name, description=words or None, ge=ge, le=le, extra=more)


@cache
def settings_of(kind: type[msgspec.Struct]) -> tuple[Setting, ...]:
    """The fields of a Struct, in order."""
    hints = get_type_hints(kind, include_extras=True)
    found = []
    for field in msgspec.structs.fields(kind):
        hint = hints[field.name]
        metas = [one for one in getattr(hint, "__metadata__", ()) if isinstance(one, msgspec.Meta)]
        meta = metas[0] if metas else msgspec.Meta()
        form = (meta.extra or {}).get(_FORM, Form())
        plain = _plain(hint)
        found.append(Setting(field.name, field.encode_name, plain, field.default, meta, form))
    return tuple(found)


def with_option(kind: type[msgspec.Struct]) -> list[Setting]:
    """The settings that a command line can give, as an option or as an argument."""
    return [one for one in settings_of(kind) if one.meta.description]


def _plain(hint: Any) -> Any:
    """The type of a hint, without annotations and None."""
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    if get_origin(hint) in (Union, types.UnionType):
        hint = next(one for one in get_args(hint) if one is not type(None))
    return hint


def check_settings(settings: msgspec.Struct, error: type[InvalidInput] = InvalidInput) -> None:
    """Refuse numbers beyond their limits.

    Raises `LimitExceeded` for a whole number, `error` for another one.
    """
    for one in settings_of(type(settings)):
        value, low, high = getattr(settings, one.name), one.meta.ge, one.meta.le
        if low is None or high is None or value is None or (one.form.or_zero and value == 0):
            continue
        if one.type is int:
            check_limit(one.words, value, int(low), int(high))
        elif not (isinstance(value, (int, float)) and low <= value <= high):
            found = f"{value:.15g}" if isinstance(value, (int, float)) else ascii(value)
            raise error(f"expected {one.words} from {low:.15g} to {high:.15g}, got {found}")


def from_options(kind: type[S], given: Mapping[str, Any], **more: Any) -> S:
    """The settings that options give, by name; defaults for the others.

    A flag gives the opposite of its default. `more` are further settings, ready.
    """
    values: dict[str, Any] = {}
    for one in settings_of(kind):
        if one.name not in given:
            continue
        value = given[one.name]
        if one.form.parse is not None:
            value = one.form.parse(value)
        elif one.type is bool:
            value = not one.default
        values |= value if isinstance(value, dict) else {one.name: value}
    return kind(**values | more)


def document(settings: msgspec.Struct) -> dict[str, Any]:
    """The settings as JSON values, by their keys; those that are None are left out."""
    values = ((one, getattr(settings, one.name)) for one in settings_of(type(settings)))
    return {
        one.key: one.form.format(value) if one.form.format else msgspec.to_builtins(value)
        for one, value in values
        if value is not None
    }


def from_document(kind: type[S], document: Mapping[str, Any], **more: Any) -> S:
    """The settings of a document; defaults for those it lacks.

    `more` are settings that no document holds, such as code; those of the document give way.

    Raises:
        InvalidInput: a setting is unknown, or has another type, or is out of range.
    """
    known = {one.key: one for one in settings_of(kind)}
    if unknown := set(document) - set(known):
        raise InvalidInput(f"expected settings of {kind.__name__}, got {min(unknown)!a}")
    values = {
        known[key].name: _read(known[key], value)
        for key, value in document.items()
        if known[key].name not in more
    }
    return kind(**values | more)


def _read(one: Setting, value: Any) -> Any:
    is_text = one.form.format is not None
    try:
        found = msgspec.convert(value, str if is_text else one.type)
    except msgspec.ValidationError as error:
        raise InvalidInput(f"expected another value of {one.key}: {error}") from None
    return one.form.parse(found) if is_text and one.form.parse else found
