"""`twofold net`: look into networks, measure them, convert them, average them."""

import contextlib
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer
from rich.console import Console

from twofold.cli import _options, _output, bench
from twofold.cli._thinking import labelled
from twofold.cli._training import curve_lines, evaluation_lines, held
from twofold.errors import InvalidInput
from twofold.figures import bytes_words, counted, duration_words
from twofold.game.notation import format_spec, printable, shown
from twofold.learn.curve import Evaluation
from twofold.limits import MAX_GAMES, MAX_PLY
from twofold.search.analysis import unit_words
from twofold.storage.arrays import open_tensors
from twofold.storage.files import new_file
from twofold.values import policy_network
from twofold.values.network_file import (
    SUFFIX,
    TDL_SUFFIX,
    Card,
    average,
    network_hash,
    network_path,
    read_card,
    read_learnt,
    write_network,
    write_release,
)
from twofold.values.tdl import write_tdl

EXAMPLE = """  twofold net info default
  twofold net eval net.safetensors --ply 1 --ply 2 --games 1000
  twofold net convert net.safetensors net.w
  twofold net convert net.safetensors small.safetensors --release"""

_CONVERT = """  twofold net convert net.safetensors net.w
  twofold net convert net.w net.safetensors --note 'trained elsewhere'
  twofold net convert net.safetensors small.safetensors --release --unit 4"""

NEEDS = [("--unit", "--release")]

app = _options.group("net", "Inspect, evaluate, convert and average networks.", EXAMPLE)


class NetDocument(msgspec.Struct, frozen=True):
    """A network.

    Attributes:
        file: path of the file.
        sha256: first 16 digits of the SHA-256 of the file.
        bytes: size of the file.
        card: what the file says of the network, see the pages of the file formats.
    """

    file: str
    sha256: str
    bytes: int
    card: dict[str, Any]


NetworkArgument = Annotated[str, _options.argument("NETWORK", "Name or file of a network.")]


@app.command("info", epilog="Example:\n\n\b\n  twofold net info default --json")
def info(network: NetworkArgument, json: _options.JsonOption = False) -> None:
    """Show what a network is and how it was trained."""
    path = network_path(network)
    if path.suffix == TDL_SUFFIX:
        _output.print_out(f"{read_learnt(network).network.describe()}, a weight file of TDL2048+")
        return
    card = _card(path)
    if json:
        said = msgspec.to_builtins(card)
        if (seed := said["settings"].get("seed")) is not None:
            said["settings"]["seed"] = str(seed)
        size = path.stat().st_size
        _output.write_json("net info", NetDocument(str(path), network_hash(network), size, said))
        return
    _print_card(card, _facts(card, path))


def _card(path: Path) -> Card | policy_network.PolicyCard:
    """What the file of a network says of it."""
    return (
        policy_network.read_policy_card(path) if policy_network.is_policy(path) else read_card(path)
    )


def _facts(card: Card | policy_network.PolicyCard, path: Path) -> dict[str, str]:
    """What a network is, by name."""
    trained = [counted(card.games, "game"), counted(card.moves, "move")]
    how = {"method": card.method, "trained": ", ".join([*trained, duration_words(card.seconds)])}
    size = f"{bytes_words(path.stat().st_size)}, SHA-256 {network_hash(str(path))}..."
    made = f"twofold {card.twofold}" if card.twofold else ""
    last = {"file": size, "made with": made, "note": card.note}
    how["before"] = "; ".join(f"{run['method']}: {run['games']:,} games" for run in card.before)
    if isinstance(card, policy_network.PolicyCard):
        network, _ = policy_network.read_policy(path)
        with open_tensors(path) as file:
            stored = str(file.tensors["table"].dtype)
        first = {"network": network.describe(), "rules": card.rules}
        first["value"] = unit_words(network.unit)
        return first | how | {"form": stored} | last
    stages = ", ".join(map(str, card.stages)) or "one"
    first = {"patterns": card.patterns, "rules": card.rules, "symmetries": str(card.symmetries)}
    form = "float32"
    if card.release is not None:
        form = f"16 bits, whole multiples of {card.release.unit:g} points, compressed"
    return first | {"stages": stages} | how | {"form": form} | last


def _print_card(card: Card | policy_network.PolicyCard, facts: dict[str, str]) -> None:
    width = Console().width
    for name, text in facts.items():
        for line in labelled(name, printable(text), width) if text else ():
            _output.print_out(line.plain)
    means = [float(row[3]) for row in card.curve if len(row) > 3]
    if means:
        _output.print_out("\nmean score while it learned:\n")
        _output.print_out("\n".join(curve_lines(means, 60)))
    found: list[Evaluation] = []
    with contextlib.suppress(msgspec.ValidationError):  # as far as the card can be read
        found = msgspec.convert(card.evaluations, list[Evaluation])
    if not found:
        return
    if lines := evaluation_lines([one.measured.mean for one in found], 72):
        _output.print_out("\nmean score of the evaluations:\n")
        _output.print_out("\n".join(lines))
    measured, after = found[-1].measured, counted(found[-1].moves, "move")
    _output.print_words(f"\nlast evaluation, after {after}: {printable(measured.words)}")


@app.command("eval", epilog="Example:\n\n\b\n  twofold net eval default --ply 1 --games 1000")
def evaluate(
    context: typer.Context,
    network: NetworkArgument,
    ply: Annotated[
        list[int] | None,
        _options.option(
            "N",
            "Search depth, in plies; may be repeated. Default: 1, for a policy network 0.",
            min=0,
            max=MAX_PLY,
        ),
    ] = None,
    games: Annotated[
        int | None,
        _options.option(
            "N",
            "Number of games. Default: 1000, or one per board of --boards.",
            min=1,
            max=MAX_GAMES,
        ),
    ] = None,
    boards: _options.BoardsOption = "",
    seed: Annotated[str, _options.option("S", "Seed of the first game.")] = "1",
    jobs: _options.JobsOption = None,
    json: _options.JsonOption = False,
) -> None:
    """Let a network play; show its scores and where its games end.

    The same as `twofold bench --survival ntuple:net=NETWORK,ply=N`, or policy:net=NETWORK.
    """
    path = network_path(network)
    card = None if path.suffix == TDL_SUFFIX else _card(path)
    name, usual = ("policy", 0) if isinstance(card, policy_network.PolicyCard) else ("ntuple", 1)
    depths = [{"ply": str(depth)} if depth or usual else {} for depth in ply or [usual]]
    bench.command(
        context,
        [format_spec(name, {"net": network} | depth) for depth in depths],
        games=1000 if games is None and not boards else games,
        boards=boards,
        seed=seed,
        jobs=jobs,
        survival=True,
        rules="" if card is None else card.rules,
        json=json,
    )


@app.command("convert", epilog=f"Example:\n\n\b\n{_CONVERT}")
def convert(
    network: NetworkArgument,
    out: Annotated[
        str,
        _options.argument(
            "OUT", "File to write: *.safetensors, or *.w for TDL2048+.", show_default=True
        ),
    ],
    release: Annotated[
        bool, _options.flag("--release", "Compressed 16-bit form, for sharing.")
    ] = False,
    unit: Annotated[
        float | None, _options.option("P", "With --release: rounding step, in points. Default: 4.")
    ] = None,
    value_bytes: Annotated[
        Literal["2", "4", "8"] | None,
        _options.option("N", "For *.w: bytes per weight, 2, 4 or 8. Default: 4.", name="--bytes"),
    ] = None,
    note: Annotated[str, _options.option("TEXT", "Note to store in the file.")] = "",
    force: _options.ForceOption = False,
) -> None:
    """Write a network in another form.

    The new file has the weights without the training run: in 32 bits, with --release in 16 bits
    and compressed, or as a weight file of TDL2048+. Weight files of TDL2048+ can be read, too.
    For a policy network --release means float16.
    """
    for_tdl = out.endswith(TDL_SUFFIX)
    if not (for_tdl or out.endswith(SUFFIX)):
        raise InvalidInput(
            f"expected a name that ends in {SUFFIX}, or in {TDL_SUFFIX} for TDL2048+, "
            f"got {shown(out)}"
        )
    if release and for_tdl:
        raise InvalidInput(f"expected a name that ends in {SUFFIX} for --release, got {shown(out)}")
    if value_bytes is not None and not for_tdl:
        raise InvalidInput(f"expected --bytes with a file *{TDL_SUFFIX}, got {shown(out)}")
    if note and for_tdl:
        raise InvalidInput(f"expected no --note with {shown(out)}: a weight file has no notes")
    path = network_path(network)
    of_policy = path.suffix != TDL_SUFFIX and policy_network.is_policy(path)
    if of_policy and unit is not None:
        raise InvalidInput(
            "expected --unit with an n-tuple network: --release writes a policy network in float16"
        )
    with _output.loading(), held(out):
        new_file(out, inputs=[path], force=force)
        if of_policy:
            _convert_policy(path, out, half=release, note=note)
        else:
            found = read_learnt(network, sums=for_tdl)
            card = msgspec.structs.replace(found.card, note=note) if note else found.card
            if for_tdl:
                write_tdl(out, found.network, sums=found.sums, bytes_a_value=int(value_bytes or 4))
            elif release:
                write_release(out, found.network, card, unit=4.0 if unit is None else unit)
            else:
                write_network(out, found.network, card)
    _say_written(out)


def _convert_policy(path: Path, out: str, *, half: bool, note: str) -> None:
    """Write a policy network without its training run."""
    if Path(out).suffix == TDL_SUFFIX:
        raise InvalidInput(f"expected an n-tuple network for {shown(out)}, got a policy network")
    network, card = policy_network.read_policy(path)
    card = msgspec.structs.replace(card, note=note) if note else card
    policy_network.write_policy(out, network, card, half=half)


@app.command("average", epilog="Example:\n\n\b\n  twofold net average a.safetensors b.safetensors "
             "--out mean.safetensors")  # fmt: skip
def average_networks(
    networks: Annotated[
        list[str], _options.argument("NETWORK", "Networks to average.", follows="NET")
    ],
    out: Annotated[str, _options.option("FILE", "File to write.", show_default=False)],
    force: _options.ForceOption = False,
) -> None:
    """Write the mean of several networks."""
    if not out.endswith(SUFFIX):
        raise InvalidInput(f"expected --out with a name that ends in {SUFFIX}, got {shown(out)}")
    with _output.loading(), held(out):
        new_file(out, inputs=map(network_path, networks), force=force)
        found = [read_learnt(name) for name in networks]
        mean = average([one.network for one in found])
        cards = [one.card for one in found]
        methods = "; ".join(dict.fromkeys(card.method for card in cards if card.method))
        card = msgspec.structs.replace(
            cards[0],
            method=f"mean of {counted(len(found), 'network')}: {methods}",
            stages=mean.stages,
            release=None,
        )
        write_network(out, mean, card)
    _say_written(out)


def _say_written(out: str) -> None:
    _output.print_note(f"twofold: wrote {out}, {bytes_words(Path(out).stat().st_size)}")
