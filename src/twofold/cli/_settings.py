"""Commands whose options are settings: what a command line gives, refuses and repeats."""

import inspect
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, TypeVar, get_args, get_origin

import msgspec
import typer

from twofold.cli._options import argument, count, flag, option
from twofold.errors import InvalidInput
from twofold.settings import Setting, from_options, with_option

Options = TypeVar("Options")
S = TypeVar("S", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True)
class Given(Generic[S]):
    """The settings that a command line gives, by name; a command has the options of all."""

    kind: type[S]
    values: dict[str, Any]

    def make(self, **more: Any) -> S:
        """The settings, with defaults for the others; `more` are those of other options."""
        return from_options(self.kind, self.values, **more)


def takes(options: type[Options]) -> Callable[[Callable[[Options], None]], Callable[..., None]]:
    """Decorator: a command whose options are the fields of a dataclass, of which it gets one.

    A field of the type `Given[Settings]` stands for the options of these settings.
    """
    parameters, groups = list[inspect.Parameter](), dict[str, type[msgspec.Struct]]()
    for one in inspect.signature(options).parameters.values():
        if get_origin(one.annotation) is Given:
            (groups[one.name],) = get_args(one.annotation)
            parameters += map(_option_of, with_option(groups[one.name]))
        else:
            parameters.append(one)

    def decorate(command: Callable[[Options], None]) -> Callable[..., None]:
        def called(**values: Any) -> None:
            for name, kind in groups.items():
                texts = {one.name: values.pop(one.name) for one in with_option(kind)}
                given = {key: texts[key] for key in texts if is_given(values["context"], key)}
                values[name] = Given(kind, given)
            command(options(**values))

        called.__doc__ = command.__doc__
        called.__annotations__ = {one.name: one.annotation for one in parameters}
        called.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
            [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in parameters]
        )
        return called

    return decorate


def _option_of(one: Setting) -> inspect.Parameter:
    """The option of a setting, as a parameter of a command."""
    form, words = one.form, one.meta.description or ""
    kind, default = one.type, one.default
    if form.parse is not None:
        kind, default = str, form.shown
    elif kind is not bool and kind not in (int, float):
        kind = str
    if form.argument:
        default = "" if default is msgspec.NODEFAULT else default
        made = argument(form.metavar, words, show_default=True, follows=form.follows)
    elif kind is bool:
        default, made = False, flag(one.option, words)
    elif kind is int:
        kind, made = int | None, count(form.metavar, words, name=one.option)
    else:
        made = option(form.metavar, words, name=one.option, follows=form.follows)
    hint = Annotated[kind, made]  # type: ignore[valid-type] # it is known when this runs
    keyword = inspect.Parameter.KEYWORD_ONLY
    return inspect.Parameter(one.name, keyword, default=default, annotation=hint)


def is_given(context: typer.Context, name: str) -> bool:
    """Whether an option is on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def refuse_given(context: typer.Context, names: Collection[str]) -> None:
    """Refuse settings where a run goes on, which has its own."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in names and is_given(context, name):
            word = parameter.opts[0] if parameter.param_type_name == "option" else parameter.metavar
            raise InvalidInput(
                f"expected --resume without {word}: the run keeps the settings that it began with"
            )


def refuse_alone(context: typer.Context, pairs: Mapping[str, str]) -> None:
    """Refuse options that have no effect without another one: name to name of the other."""
    options = {one.name or "": one.opts[0] for one in context.command.params}
    for name, other in pairs.items():
        if is_given(context, name) and not is_given(context, other):
            raise InvalidInput(f"expected {options[name]} together with {options[other]}")


def given_again(context: typer.Context, *names: str) -> list[str]:
    """Those of the options as words of a command line that are given and differ from defaults."""
    words: list[str] = []
    for parameter in context.command.params:
        name, value = parameter.name or "", context.params.get(parameter.name or "")
        if name not in names or not is_given(context, name) or value == parameter.default:
            continue
        for one in value if isinstance(value, (list, tuple)) else [value]:
            words += [parameter.opts[0]] if one is True else [parameter.opts[0], str(one)]
    return words
