"""Import paths of the first months, each with the module that has its names today."""

import sys

TYPE_CHECKING = False  # a command imports nothing before it catches Ctrl-C
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

MOVED = {
    "arena.pairs": "arena.compare",
    "arena.sprt": "arena.compare",
    "arena.studies": "arena",
    "arena.studies.study": "arena.study",
    "arena.survival": "arena.stats",
    "arena.tuning": "arena",
    "arena.tuning.settings": "arena.tune",
    "arena.tuning.tune": "arena.tune",
    "board": "game.board",
    "drawing": "game.drawing",
    "endgame": "tables",
    "endgame.library": "tables.library",
    "engine": "players.engine",
    "engine.lines": "players.engine.lines",
    "engine.player": "players.engine.client",
    "evaluators": "values",
    "evaluators.base": "values.evaluator",
    "evaluators.explain": "values.evaluator",
    "exact": "tables",
    "exact.problem": "tables.problem",
    "exact.table": "tables.exact",
    "networks": "values",
    "networks.file": "values.network_file",
    "networks.network": "values.network",
    "networks.policy": "values.policy_network",
    "networks.policy_file": "values.policy_network",
    "networks.tdl_format": "values.tdl",
    "notation": "game.notation",
    "pictures": "games",
    "pictures.animation": "games.pictures",
    "pictures.replays": "games.pictures",
    "players.faults": "players.base",
    "records": "game",
    "records.foreign": "game.foreign",
    "records.foreign.boards": "game.foreign.boards",
    "records.formats": "game.formats",
    "records.record": "game.record",
    "reference": "game.reference",
    "review": "games",
    "review.judge": "games.judge",
    "review.review": "games.review",
    "rules": "game.rules",
    "step": "game.step",
}
"""Paths below `twofold` that documentation and examples had, and where they lead."""


class MovedFinder:
    """Finds a moved module for `import`, before a finder of files makes a second one of it."""

    @classmethod
    def find_spec(
        cls, name: str, path: object = None, target: object = None
    ) -> "ModuleSpec | None":
        home = MOVED.get(name.removeprefix("twofold.")) if name.startswith("twofold.") else None
        if home is None:
            return None
        import importlib
        from importlib.machinery import ModuleSpec

        module = importlib.import_module(f"twofold.{home}")
        return ModuleSpec(name, _Loaded(module))  # type: ignore[arg-type]


class _Loaded:
    """A loader of a module that is loaded; it stays what it is."""

    def __init__(self, module: "ModuleType") -> None:
        self.module, self.spec = module, module.__spec__

    def create_module(self, spec: "ModuleSpec") -> "ModuleType":
        return self.module

    def exec_module(self, module: "ModuleType") -> None:
        module.__spec__ = self.spec


def install() -> None:
    """Let `import` find moved modules."""
    if MovedFinder not in sys.meta_path:
        sys.meta_path.insert(0, MovedFinder)
