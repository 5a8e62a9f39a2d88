"""`twofold net`: look into networks, measure them, convert them, average them."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from twofold.cli._common import (
    JsonOption,
    counted,
    loading,
    print_note,
    print_out,
    read_count,
    write_json,
)

if TYPE_CHECKING:
    from twofold.evaluators.network import Network
    from twofold.evaluators.network_file import Card

EXAMPLE = """  twofold net info default
  twofold net eval net.safetensors --ply 1 --ply 2 --games 1000
  twofold net convert net.safetensors net.w
  twofold net convert net.safetensors small.safetensors --release"""

_CONVERT = """  twofold net convert net.safetensors net.w
  twofold net convert net.w net.safetensors --note 'trained elsewhere'
  twofold net convert net.safetensors small.safetensors --release --unit 4"""


app = typer.Typer(
    help="Look into networks, measure, convert and average them.",
    epilog=f"Example:\n\n\b\n{EXAMPLE}",
    rich_markup_mode=None,
    no_args_is_help=True,
)

NetworkArgument = Annotated[
    str, typer.Argument(metavar="NETWORK", help="A name or a file.", show_default=False)
]


@app.command("info", epilog="Example:\n\n\b\n  twofold net info default --json")
def info(network: NetworkArgument, json: JsonOption = False) -> None:
    """Show what a network is and how it was trained."""
    from twofold.evaluators.library import network_hash, network_path
    from twofold.evaluators.network_file import read_card
    from twofold.players.networks import TDL_SUFFIX

    path = network_path(network)
    if path.suffix == TDL_SUFFIX:
        found, card = _read(network)
        print_out(f"{found.describe()}, a weight file of TDL2048+")
        return
    card = read_card(path)
    if json:
        import msgspec

        body = {"file": str(path), "sha256": network_hash(network), "bytes": path.stat().st_size}
        write_json("net info", body | {"card": msgspec.to_builtins(card)})
        return
    _print_card(card, path.stat().st_size, network_hash(network))


def _print_card(card: "Card", size: int, sha256: str) -> None:
    from rich.console import Console

    from twofold.cli._analysis import labelled
    from twofold.cli._training import curve_lines
    from twofold.evaluators.memory import bytes_words

    facts = {
        "patterns": card.patterns,
        "rules": card.rules,
        "symmetries": str(card.symmetries),
        "stages": ", ".join(map(str, card.stages)) or "one",
        "method": card.method,
        "trained": f"{counted(card.games, 'game')}, {counted(card.moves, 'move')}, "
        f"{card.seconds / 3600:.1f} h",
        "before": "; ".join(f"{run['method']}: {run['games']:,} games" for run in card.before),
        "form": _form(card),
        "file": f"{bytes_words(size)}, SHA-256 {sha256}...",
        "made with": f"twofold {card.twofold}" if card.twofold else "",
        "note": card.note,
    }
    width = Console().width
    for name, text in facts.items():
        for line in labelled(name, text, width) if text else ():
            print_out(line.plain)
    means = [float(row[3]) for row in card.curve if len(row) > 3]
    if means:
        print_out("\nmean score while it learnt:\n")
        print_out("\n".join(curve_lines(means, 60)))


def _form(card: "Card") -> str:
    if card.release is None:
        return "float32"
    return f"16 bits, whole multiples of {card.release.unit:g} points, compressed"


@app.command("eval", epilog="Example:\n\n\b\n  twofold net eval default --ply 1 --games 1000")
def evaluate(
    network: NetworkArgument,
    ply: Annotated[list[int] | None, typer.Option("--ply", metavar="N", help="Depths; 1.")] = None,
    games: Annotated[
        int, typer.Option("--games", parser=read_count, metavar="N", help="Games each.")
    ] = 1000,
    seed: Annotated[str, typer.Option("--seed", metavar="S", help="Of the first game.")] = "1",
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", parser=read_count, metavar="J", help="Games at a time; else cores."),
    ] = None,
    json: JsonOption = False,
) -> None:
    """Let a network play; show a table.

    The same as `twofold bench ntuple:net=NETWORK,ply=N`.
    """
    from twofold.cli import bench
    from twofold.evaluators.library import network_path
    from twofold.notation import format_spec
    from twofold.players.networks import TDL_SUFFIX

    if network_path(network).suffix != TDL_SUFFIX:
        from twofold.evaluators.network_file import read_card

        rules = read_card(network_path(network)).rules
    else:
        rules = ""
    players = [format_spec("ntuple", {"net": network, "ply": str(depth)}) for depth in ply or [1]]
    bench.command(players, games=games, seed=seed, jobs=jobs, rules=rules, json=json)


@app.command("convert", epilog=f"Example:\n\n\b\n{_CONVERT}")
def convert(
    network: NetworkArgument,
    out: Annotated[str, typer.Argument(metavar="OUT", help="*.safetensors, or *.w for TDL2048+.")],
    release: Annotated[
        bool, typer.Option("--release", help="16 bits and compressed, to be passed on.")
    ] = False,
    unit: Annotated[
        float, typer.Option("--unit", metavar="P", help="Of --release: points of a step.")
    ] = 4.0,
    value_bytes: Annotated[
        int, typer.Option("--bytes", metavar="N", help="Of *.w: bytes a weight, 2, 4 or 8.")
    ] = 4,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="Kept in the file.")] = "",
) -> None:
    """Write a network in another form.

    That is: without its training run; with --release also in 16 bits and compressed; or as
    weight file of TDL2048+. Those can be read, too.
    """
    import msgspec

    from twofold.evaluators.network_file import write_network, write_release
    from twofold.players.networks import TDL_SUFFIX

    with loading():
        found, card = _read(network)
        if note:
            card = msgspec.structs.replace(card, note=note)
        if out.endswith(TDL_SUFFIX):
            from twofold.learn.tdl_format import write_tdl

            write_tdl(out, found, sums=_sums(network), bytes_a_value=value_bytes)
        elif release:
            write_release(out, found, card, unit=unit)
        else:
            write_network(out, found, msgspec.structs.replace(card, release=None))
    _say_written(out)


@app.command("average", epilog="Example:\n\n\b\n  twofold net average a.safetensors b.safetensors "
             "--out mean.safetensors")  # fmt: skip
def average_networks(
    networks: Annotated[
        list[str], typer.Argument(metavar="NETWORK...", help="Networks.", show_default=False)
    ],
    out: Annotated[
        str, typer.Option("--out", metavar="FILE", help="The mean.", show_default=False)
    ],
) -> None:
    """Write the mean of several networks."""
    import msgspec

    from twofold.evaluators.network_file import write_network
    from twofold.learn.average import average

    with loading():
        found = [_read(name) for name in networks]
        mean = average([network for network, _ in found])
        cards = [card for _, card in found]
        methods = "; ".join(dict.fromkeys(card.method for card in cards if card.method))
        card = msgspec.structs.replace(
            cards[0],
            method=f"mean of {counted(len(found), 'network')}: {methods}",
            stages=mean.stages,
            release=None,
        )
        write_network(out, mean, card)
    _say_written(out)


def _read(name: str) -> "tuple[Network, Card]":
    from twofold.evaluators.library import network_path
    from twofold.evaluators.network_file import Card, read_network
    from twofold.players.networks import TDL_SUFFIX

    path = network_path(name)
    if path.suffix != TDL_SUFFIX:
        return read_network(path)
    from twofold.learn.tdl_format import read_tdl

    network = read_tdl(path).network
    card = Card(
        patterns=network.name,
        rules="4x4",
        symmetries=network.symmetries,
        stages=network.stages,
        method="trained with TDL2048+",
        twofold="",
    )
    return network, card


def _sums(name: str) -> Any:
    """The two sums of each weight, where the file has them."""
    from twofold.evaluators.library import network_path
    from twofold.players.networks import TDL_SUFFIX
    from twofold.tensors import map_tensors

    path = network_path(name)
    if path.suffix == TDL_SUFFIX:
        from twofold.learn.tdl_format import read_tdl

        return read_tdl(path).sums
    sums = map_tensors(path).tensors.get("sums")
    return sums if sums is not None and len(sums) else None


def _say_written(out: str) -> None:
    from pathlib import Path

    from twofold.evaluators.memory import bytes_words

    print_note(f"twofold: wrote {out}, {bytes_words(Path(out).stat().st_size)}")
