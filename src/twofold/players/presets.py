"""The registered players: how each is made, and its keys; the strengths, which stand for some."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from twofold.game.notation import format_spec, parse_spec
from twofold.game.rules import Rules
from twofold.limits import BITS_MAX_SIDE, MAX_DEPTH, MAX_PLY
from twofold.players.engine.lines import hash_of_files, parse_command_words, parse_option_words
from twofold.players.keys import (
    ALPHABETA_KEYS,
    CUT,
    EVAL,
    LATE,
    LAYERS,
    SEARCH_KEYS,
    TABLE_MB,
    TABLES,
    THREADS,
    TWO_PLAYER_KEYS,
    Choice,
    Entry,
    Key,
    cut,
    downgrade,
    later,
    node_count,
    optional,
    share,
    whole,
)
from twofold.search.budget import parse_seconds
from twofold.search.depth import BY_TILES, Depth
from twofold.tables.folder import AUTO, NONE, SETS, USUAL, files_in, tables_folder
from twofold.tables.pattern import suits

DOWNGRADE: Final = 24_576
"""Sum of the different tiles from which `ntuple` downgrades boards by default."""

PRESETS: Final = (
    Entry(
        "random",
        "a random legal move",
        later("players.compiled:RandomPlayer"),
        values=False,
        takes_limits=False,
    ),
    Entry(
        "greedy",
        "the move with the largest reward",
        later("players.compiled:GreedyPlayer"),
        takes_limits=False,
    ),
    Entry(
        "corner",
        "down or left; right or up only when forced",
        later("players.compiled:CornerPlayer"),
        values=False,
        takes_limits=False,
    ),
    Entry(
        "expectimax",
        "best mean value over all spawns",
        later("players.makers:expectimax"),
        {"eval": EVAL, **SEARCH_KEYS, "tables": TABLES},
    ),
    Entry(
        "ntuple",
        "expectimax with an n-tuple network, trained by self-play",
        later("players.makers:ntuple"),
        {
            "net": Key(
                "default",
                "network, by name or as a file",
                hash_of=later("values.network_file:network_hash"),
            ),
            **SEARCH_KEYS,
            "downgrade": Key(
                str(DOWNGRADE),
                "halve large tiles once the distinct tiles sum to this; 0: never",
                downgrade,
            ),
            "tables": TABLES,
            "late": LATE,
        },
        source="Szubert and Jaskowski 2014; Guei, Chen and Wu 2021",
        words="network",
    ),
    Entry(
        "policy",
        "a policy network: the move that it finds most probable, or a search with its critic",
        later("players.makers:policy"),
        {
            "net": Key(
                "policy",
                "the shipped network `policy`, or a file",
                hash_of=later("values.network_file:network_hash"),
            ),
            "ply": Key(
                "none",
                "depth in plies of a search with its critic, 1 or 2; none for no search",
                optional(whole("ply", 1, 2)),
            ),
            "share": Key(
                "0.1",
                "with ply: skip moves less probable than this share of the most probable",
                share,
            ),
            "tables": TABLES,
        },
        source="Schulman et al. 2017",
        words="policy network",
        takes_limits=False,
    ),
    Entry(
        "minimax",
        "best against the worst spawns",
        later("players.makers:two_player", False),
        TWO_PLAYER_KEYS,
    ),
    Entry(
        "alphabeta",
        "minimax with pruning",
        later("players.makers:two_player", True),
        ALPHABETA_KEYS,
    ),
    Entry(
        "exact",
        "optimal play of a small game, with a table from `twofold solve`",
        later("players.makers:exact"),
        {
            "table": Key(
                "",
                "file of the table; required",
                hash_of=lambda path: str(later("players.exact:find_table")(path).layers.digest),
            )
        },
        has_home=True,
        words="optimal play",
        takes_limits=False,
    ),
    Entry(
        "quick",
        "shallow expectimax with weights tuned for it",
        later("players.makers:quick"),
        {"ply": Key("3", "depth in plies, as for expectimax", Depth.parse), "table_mb": TABLE_MB},
    ),
    Entry(
        "nneonneo",
        "expectimax as deep as the number of different tiles allows, with a probability cut",
        later("players.makers:nneonneo"),
        {
            "ply": Key(BY_TILES, "depth in plies, as for expectimax", Depth.parse),
            "cut": Key("0.0001", CUT.help, cut),
            "table_mb": TABLE_MB,
            "threads": THREADS,
            "tables": TABLES,
        },
        source="nneonneo/2048-ai, MIT licence",
    ),
    Entry(
        "baeldung",
        "sums over spawns instead of means, four plies; empty cells and monotone lines",
        later("players.makers:baeldung"),
        {
            "prune": Key(
                "yes", "skip moves that change nothing", Choice("prune", {"yes": True, "no": False})
            ),
            "threads": THREADS,
        },
        source="Baeldung, An Algorithm to solve 2048",
        words="Baeldung",
    ),
    Entry(
        "datumbox",
        "alpha-beta against the worst spawns; score and clustering",
        later("players.makers:datumbox"),
        {
            "search": Key(
                "alphabeta",
                "alphabeta or minimax; both choose the same moves",
                Choice("search", {"alphabeta": True, "minimax": False}),
            ),
            "depth": Key("7", "depth in half-moves", whole("depth", 1, MAX_DEPTH)),
        },
        source="Datumbox, Using Artificial Intelligence to solve the 2048 Game",
        words="Datumbox",
    ),
    *(
        Entry(
            f"it3105-{matrix}",
            f"expectimax of 6 layers, 8 on nearly full boards, {matrix} weights",
            later("players.makers:it3105", f"it3105-{matrix}"),
            {
                "layers": LAYERS,
                "depth": Key(
                    "6", "layers of the search, even", whole("depth", 2, 2 * MAX_PLY - 2, even=True)
                ),
                "table_mb": TABLE_MB,
            },
            source="IT3105 report, Expectimax for 2048",
            words=f"IT3105, {matrix}",
        )
        for matrix in ("snake", "gradient")
    ),
    Entry(
        "engine",
        "another program that speaks the engine protocol",
        later("players.makers:engine"),
        {
            "cmd": Key(
                "",
                'its command; quote it: cmd="python my.py"',
                parse_command_words,
                hash_of=hash_of_files,
                names_code=lambda _command: True,
            ),
            "options": Key("", "its options, such as depth=4 style=calm", parse_option_words),
            "ply": Key(
                "none",
                "depth in plies; none: the program decides",
                optional(whole("ply", 1, MAX_PLY)),
            ),
            "time": Key("none", "time per move, such as 50ms", optional(parse_seconds)),
            "nodes": Key("none", "nodes per move, such as 1e6", optional(node_count)),
            "timeout": Key(
                "60", "longest wait for the handshake, and for a move beyond time", parse_seconds
            ),
        },
    ),
)
"""All players that a spec can name."""


@dataclass(frozen=True, slots=True)
class Strength:
    """The players that a name such as `strong` stands for, by the size of the board, as specs."""

    on_4x4: str
    smaller: str
    larger: str
    about: str

    @property
    def by_size(self) -> dict[str, str]:
        """The players by words for the size of the board."""
        return {"4x4": self.on_4x4, "smaller": self.smaller, "larger": self.larger}

    @property
    def uses_tables(self) -> bool:
        """True if it plays with the endgame tables built here."""
        return "tables=auto" in self.on_4x4


STRENGTHS: Final = {
    "fast": Strength(
        "ntuple:ply=1",
        "expectimax:ply=2",
        "expectimax:ply=2",
        "the fastest strong player, 1 us a move on 4x4",
    ),
    "normal": Strength(
        "ntuple:ply=3/2@3,late=24576@4,tables=auto",
        "expectimax:ply=4",
        "expectimax:ply=3",
        "30 us a move on 4x4",
    ),
    "strong": Strength(
        "ntuple:ply=3,late=24576@5,tables=auto",
        "expectimax:eval=rows,ply=6,cut=0.003",
        "expectimax:eval=rows,ply=4/3@7",
        "the default player, 0.13 ms a move on 4x4",
    ),
    "max": Strength(
        "ntuple:ply=4/3@4,late=24576@7,tables=auto",
        "expectimax:ply=7,cut=0.001",
        "expectimax:ply=4",
        "the deepest search, 0.7 ms a move on 4x4",
    ),
}
"""Names of strengths, and their players."""

DEFAULT: Final = "strong"
"""The strength that plays if the user names no player."""

DEFAULT_PLAYER: Final = "ntuple:ply=3"
"""The player for 4x4 if none is named and no endgame table is built."""


def strength(name: str, rules: Rules, given: Mapping[str, str]) -> str:
    """The spec of the player that plays at a named strength under these rules.

    `given` are keys of the user, which will replace those of the strength.
    """
    named = STRENGTHS[name]
    if rules.shape != (4, 4):
        return named.smaller if max(rules.shape) <= BITS_MAX_SIDE else named.larger
    player, values = parse_spec(named.on_4x4)
    return format_spec(player, _with_tables(values, given, rules))


def _with_tables(
    values: Mapping[str, str], given: Mapping[str, str], rules: Rules
) -> dict[str, str]:
    """The values of a strength with the tables built here in place of `auto`.

    It hands over late only with all tables that the hand-over was measured with.
    """
    kept = dict(values)
    tables = given.get("tables", kept.pop("tables", NONE))
    late = given.get("late", kept.pop("late", NONE))
    if tables == AUTO:
        tables = _built(rules, late != NONE)
    named = {name for part in tables.split("+") for name in SETS.get(part, (part,))}
    if late != NONE and ("late" in given or named >= set(SETS[USUAL])):
        kept["late"] = late
    elif late != NONE and "tables" not in given:
        tables = _built(rules, False)
    return kept | ({"tables": tables} if tables != NONE else {})


def _built(rules: Rules, walls: bool) -> str:
    """The tables of `auto`, by name."""
    if not (suits(rules) and files_in(tables_folder())):
        return NONE
    tables: str = later("tables.library:settled_tables")(AUTO, rules, walls=walls)
    return tables
