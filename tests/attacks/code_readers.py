"""Readers of files and of requests, given the specs of players that run code.

`python -m tests.attacks.code_readers FOLDER` has each reader read hostile files in a process where
nothing was imported before, and prints how often their code was run.
"""

import asyncio
import contextlib
import hashlib
import io
import json
import shutil
import sys
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

from twofold.cli import main
from twofold.errors import TwofoldError
from twofold.game.notation import SeedRange

RULES = "2x2 spawn=2:0.9,4:0.1 start=2 goal=2048 stop=never"
RAN = "ran"

CODE = """
with open({ran!r}, "a") as file:
    file.write("ran\\n")
from twofold import Player
class Name(Player):
    def __init__(self, speed="1"):
        pass
    def choose(self, board, *, score=None, move_number=0):
        return board.legal_moves()[0]
def function(board):
    return board.legal_moves()[0]
"""


def kinds(folder: Path) -> dict[str, str]:
    """A spec of each kind of player that runs code; all of them run the same file."""
    file = folder / "evil.py"
    file.write_text(CODE.format(ran=str(folder / RAN)), encoding="utf-8")
    shutil.copy(file, folder / "evil_module.py")
    digest = hashlib.sha256(file.read_bytes()).hexdigest()[:16]
    escaped = str(file).replace("e", "\\u0065")
    return {
        "a class": f"{file}:Name",
        "a class with keys": f"{file}:Name:speed=3",
        "a class with its hash": f"{file}:Name:file_sha256={digest}",
        "a function": f"{file}:function",
        "a module": "evil_module:Name",
        "an evaluator": f"expectimax:eval={file}:NAME",
        "an evaluator with its hash": f"expectimax:eval={file}:NAME,eval_sha256={digest}",
        "an evaluator in escapes": f'expectimax:ply=1,eval="{escaped}:NAME"',
        "an evaluator of a module": "expectimax:eval=evil_module:NAME",
        "an evaluator for minimax": f"minimax:eval={file}:NAME",
        "an evaluator for alphabeta": f"alphabeta:depth=1,eval={file}:NAME,empty=2",
        "an engine": f'engine:cmd="{sys.executable} {file}"',
        "an engine with limits": f"engine:cmd={sys.executable} {file},ply=1,timeout=1",
    }


def command(*arguments: str, stdin: str = "") -> None:
    """Run `twofold ARGUMENTS...` in this process, whatever comes of it."""
    sys.stdin = io.StringIO(stdin)
    with contextlib.suppress(SystemExit), contextlib.redirect_stdout(sys.stderr):
        main(list(arguments))


def attempt(function: Callable[..., Any], *arguments: Any, **more: Any) -> None:
    """Call a function that may refuse what it is given with an error of ours."""
    with contextlib.suppress(TwofoldError), contextlib.redirect_stdout(sys.stderr):
        function(*arguments, **more)


def _study(path: Path, *specs: str) -> Path:
    """A study that wants a game of each player."""
    from twofold.arena.study import Study
    from twofold.version import SIGNATURE

    more: dict[str, Any] = {"signature": str(SIGNATURE), "twofold": "1", "machine": {}}
    with Study(path) as study:
        for spec in specs:
            run = study.add_run(spec, spec, RULES, **more, reproducible=True)
            study.want(run.run, SeedRange(0, 1))
    return path


def resumed_studies(folder: Path, specs: list[str]) -> None:
    """`bench --resume` of a study, alone and with other players beside it."""
    for number, spec in enumerate(specs):
        path = str(_study(folder / f"{number}.db", spec))
        beside: list[list[str]] = [[], ["greedy"], [f"{folder}/another.py:Name"]]
        command("bench", "--resume", "--out", path, *beside[number % 3])


def other_readers_of_studies(folder: Path, specs: list[str]) -> None:
    """The library, reports, the lab, and runs of other players that are kept in such a study."""
    from twofold.arena.bench import resumed
    from twofold.arena.study import Study
    from twofold.players import PlayerSpec
    from twofold.web.lab import Lab

    for number, spec in enumerate(specs):
        with Study(_study(folder / f"{number}.db", spec)) as study:
            attempt(resumed, study)
            attempt(resumed, study, list(map(PlayerSpec.parse, ["greedy", "another.py:Name"])))
    plain = [spec for spec in specs if "sha256" not in spec]  # else others of the same file
    path = str(_study(folder / "all.db", *plain))
    attempt(Lab(folder).studies)
    attempt(Lab(folder).study, "all.db")
    short = ["--rules", RULES, "--games", "2", "--out", path]
    command("bench", "greedy", *short)
    command("compare", "greedy", "corner", *short)
    games, table = folder / "games.csv", str(folder / "table.md")
    command("report", path, "--csv", str(games), "--markdown", table)


def workers_of_studies(folder: Path, specs: list[str]) -> None:
    """Threads, processes and actors of Ray that are handed a task of a study."""
    from twofold.arena.ray_workers import _VERSION, _play_there
    from twofold.arena.workers import Entrant, GameWorkers, Schedule, Task, play
    from twofold.game.rules import Rules
    from twofold.players import PlayerSpec

    rules = Rules.parse(RULES)
    schedules = []
    for number, spec in enumerate(specs):
        entrant = Entrant(PlayerSpec.parse(spec), "", SeedRange(1, 1), rules, allow_code=False)
        task = Task(number, entrant, entrant.seeds)
        schedules.append(Schedule(task, deque([task.seeds])))
        assert task.play({}).error
        assert _play_there(task, _VERSION, None, []).error
    with GameWorkers(1) as workers:
        list(play(workers, schedules, lambda: False))
    assert all("imports no code" in one.errors[1] for one in schedules)


def tunings(folder: Path, specs: list[str]) -> None:
    """A tuning whose file names such players wherever it holds text."""
    from twofold.arena.tune import TuningSettings, tune
    from twofold.game.rules import Rules

    player, rules = "expectimax:eval=rows,ply=1", Rules.parse(RULES)
    settings = TuningSettings.make(player, games=1, rules=rules, weights=["empty"])
    path = folder / "tune.db"
    tune(settings, path, trials=1, check_games=2)
    kept = json.loads(path.read_text())
    for number, spec in enumerate(specs):
        kept["trials"][0]["spec"] = spec
        kept["checks"] = {spec: [1.0]}
        path.write_text(json.dumps(kept))
        attempt(tune, settings, path, trials=1, check_games=2)
        copy = folder / f"tune {number}.db"
        copy.write_text(json.dumps(kept | {"settings": kept["settings"] | {"player": spec}}))
        attempt(tune, settings, copy, trials=1, check_games=2)


def records(folder: Path, specs: list[str]) -> None:
    """`review`, `play --resume` with a hint, and `convert` of a record."""
    from twofold.game.game import Game
    from twofold.game.record import Record, write_record
    from twofold.game.rules import Rules

    game = Game(Rules.parse(RULES), seed=1)
    game.play(game.legal_moves()[0])
    for number, spec in enumerate(specs):
        path = folder / f"{number}.2048"
        tags = {"Judge": spec, "Helper": spec}
        write_record(path, Record.from_game(game, player=spec, comments={1: spec}, tags=tags))
        command("review", str(path), "--player", "greedy", "--json")
        command("play", "--resume", str(path), "--plain", stdin="hint\nquit\n")
        command("convert", str(path), str(folder / f"{number}.jsonl"))


def checkpoints(folder: Path, specs: list[str]) -> None:
    """Networks and checkpoints of training runs."""
    import numpy as np

    from twofold.game.rules import Rules
    from twofold.learn import checkpoint
    from twofold.learn.checkpoint import start_from
    from twofold.learn.settings import TrainingSettings
    from twofold.learn.training import Training
    from twofold.players import make_player
    from twofold.values.network import Network, parse_patterns
    from twofold.values.network_file import Card, read_network, write_network

    network = Network(parse_patterns("01"), (2, 2))
    training = Training(TrainingSettings(patterns="01", rules=Rules.parse(RULES)), games=1)
    sound = training.settings.document()
    card = Card(patterns="01", rules=RULES, symmetries=8, twofold="1")
    for number, spec in enumerate(specs):
        path = folder / f"{number}.safetensors"
        state = {"state": np.zeros(1, dtype=np.uint64)}
        for key in sound:
            settings = sound | {key: spec, "player": spec}
            more = {"before": [settings], "method": spec, "note": spec, "settings": settings}
            changed = Card(**{name: getattr(card, name) for name in card.__struct_fields__} | more)
            write_network(path, network, changed, state, {"player": spec, "state": spec})
            attempt(checkpoint.load, path)
        attempt(read_network, path)
        attempt(make_player, f"ntuple:net={path},ply=1")
        attempt(start_from, training, path)
        command("net", "info", str(path))


def tables(folder: Path, specs: list[str]) -> None:
    """Tables of solved games."""
    from tests.attacks.tables import said
    from twofold.players import make_player
    from twofold.web.roster import Roster

    for spec in specs:
        for part in ("rules", "objective", "part"):
            path = folder / "2x2.table"
            path.write_bytes(said(**{part: spec}))
            attempt(make_player, f"exact:table={path}", allow_code=False)
            attempt(Roster, f"exact:table={path}")
        attempt(Roster, f"exact:table={spec}")
        attempt(make_player, f"exact:table={spec}", allow_code=False)


def web(folder: Path, specs: list[str]) -> None:
    """Requests over HTTP and WebSocket, and games that are kept."""
    from tests.web.driver import PORT, Client, connected
    from twofold.game.game import Game
    from twofold.game.record import Record
    from twofold.game.rules import Rules
    from twofold.web.hub import Hub
    from twofold.web.security import Access
    from twofold.web.server import create_app

    game = Game(Rules.parse(RULES), seed=1)
    game.play(game.legal_moves()[0])
    board, access = str(game.board), Access(PORT)
    hub = Hub(folder / "data", "greedy", warm_up=False)
    client = Client(create_app(hub, access, folder), access, hub)

    async def talk(kept: str, spec: str) -> None:
        async with connected(client.app, client.headers) as socket:
            socket.send({"type": "open", "game": kept})
            await socket.until("game")
            for request in (
                {"type": "autoplay", "game": kept, "player": spec},
                {"type": "analyse", "board": board, "player": spec},
                {"type": "review", "game": kept, "player": spec},
            ):
                socket.send(request)
                refusal = await socket.until("refused")
                assert refusal["kind"] == "InvalidSpec", refusal
            socket.send({"type": "review", "game": kept, "ply": 1})
            await socket.until("reviewed")

    for spec in specs:
        assert client.post("/api/analyse", {"board": board, "player": spec}).status == 400
        text = str(Record.from_game(game, player=spec, tags={"Judge": spec}))
        kept = client.post("/api/games", text).json["game"]
        client.get(f"/api/games/{kept}")
        asyncio.run(talk(kept, spec))
    hub.close()


def engine_lines(folder: Path, specs: list[str]) -> None:
    """What a program says to `twofold engine`."""
    from twofold.game.notation import parse_spec
    from twofold.players import make_player
    from twofold.players.engine.server import EngineServer

    player = make_player("expectimax:ply=1")
    server = EngineServer(player, lambda _: None)
    for spec in specs:
        name, values = parse_spec(spec)
        for text in (spec, name, *values.values()):
            for key in ("eval", "ply", "cmd"):
                server.obey(f"option {key} {text}")
            for word in ("new", "position", "go", "u2048", ""):
                server.obey(f"{word} {text}")
    server.close()


def names_that_are_shown(folder: Path, specs: list[str]) -> None:
    """What is only shown or looked at, and `make_player` for text of unknown origin."""
    from twofold.game.board import Board
    from twofold.notebook import draw_analysis
    from twofold.players import PlayerSpec, entries, make_player, short_spec
    from twofold.players.base import move_list
    from twofold.search.analysis import Analysis
    from twofold.web.roster import Roster

    roster, board = Roster(), Board.parse("2x2:1100")
    for spec in specs:
        assert PlayerSpec.parse(spec).code
        short_spec(spec)
        analysis = Analysis(board, move_list(board), board.legal_moves()[0], spec)
        draw_analysis(analysis, "", "light", 1.0)
        attempt(make_player, spec, allow_code=False)
        attempt(roster.make, spec)
    for entry in entries():
        for key in (*entry.keys, "file", "more"):
            for value in (f"{folder}/evil.py:NAME", "evil_module:NAME"):
                attempt(make_player, f'{entry.name}:{key}="{value}"', allow_code=False)


def the_owner(_folder: Path, specs: list[str]) -> None:
    """Who names players from Python."""
    from twofold.game.rules import STANDARD
    from twofold.players import make_player

    for spec in specs:
        for name in [name for name in sys.modules if "evil" in name]:
            del sys.modules[name]
        with contextlib.suppress(TwofoldError), make_player(spec) as player:
            player.start(STANDARD, 1)


READERS: dict[str, Callable[[Path, list[str]], None]] = {
    "resumed studies": resumed_studies,
    "workers of studies": workers_of_studies,
    "other readers of studies": other_readers_of_studies,
    "names that are shown": names_that_are_shown,
    "engine lines": engine_lines,
    "tables": tables,
    "records": records,
    "web": web,
    "checkpoints": checkpoints,
    "tunings": tunings,
    "the owner": the_owner,
}
"""All of them; the last one is the opposite, and runs the code of each spec once."""


def runs_of(reader: str, folder: Path) -> int:
    """Have one reader read hostile files; how often their code was run."""
    folder.mkdir()
    sys.path.insert(0, str(folder))
    READERS[reader](folder, list(kinds(folder).values()))
    sys.path.remove(str(folder))
    ran = folder / RAN
    return len(ran.read_text().splitlines() or ["unpickled"]) if ran.exists() else 0


if __name__ == "__main__":
    top = Path(sys.argv[1])
    print(json.dumps({name: runs_of(name, top / name.replace(" ", "-")) for name in READERS}))
