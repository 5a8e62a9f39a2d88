"""An engine that does one thing otherwise than it should: the one that its argument names.

python -I -S tests/players/rogue_engine.py MODE [FILE]

It imports nothing of twofold, so that it starts in 20 ms.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time

MODE = sys.argv[1]
FILE = sys.argv[2] if len(sys.argv) > 2 else ""
HELLO = "id name rogue\nid author nobody\nshapes 4x4\n"


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def sleep_forever() -> None:
    while True:
        time.sleep(60)


def first_time() -> bool:
    """True if the file did not exist; creates it."""
    if os.path.exists(FILE):
        return False
    open(FILE, "x").close()
    return True


def note(*processes: int) -> None:
    """Write process ids to the file."""
    with open(FILE, "a") as file:
        file.write(" ".join(map(str, processes)) + "\n")


def note_process() -> None:
    """Write the ids of this process and of a child that never ends to the file."""
    sleep = [sys.executable, "-I", "-S", "-c", "import time; time.sleep(1000)"]
    child = subprocess.Popen(sleep)
    note(os.getpid(), child.pid)


def sleeper() -> None:
    """Start a process that keeps the pipes."""
    if os.fork() == 0:
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        note(os.getpid())
        time.sleep(1000)
        os._exit(0)
    while not os.path.exists(FILE):
        time.sleep(0.001)


def flood(stream: int, text: bytes) -> None:
    """Write endlessly from a separate process."""
    if (child := os.fork()) == 0:
        while True:
            os.write(stream, text)
    note(child)


def begin() -> None:
    """Actions before the first line is read."""
    match MODE:
        case "eager":
            say(f"{HELLO}u2048ok\nreadyok\nbestmove u")
        case "babbles":
            while True:
                say("hello")
        case "mumbles":
            while True:
                say("readyok")
                time.sleep(0.05)
        case "immortal":
            for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
                with contextlib.suppress(OSError, ValueError):
                    signal.signal(number, signal.SIG_IGN)
            note(os.getpid())
        case "grumbles":
            flood(2, b"oh no " * 1_000)


def hello() -> None:
    if MODE == "silent":
        sleep_forever()
    if MODE == "names-itself":
        while True:
            say("id name again")
    if MODE == "dies-at-once":
        sys.stderr.write("no such weights\n")
        sys.exit(3)
    if MODE == "many-options":
        for number in range(300):
            say(f"option name o{number} default true")
    if MODE == "bad-option":
        say("option name Depth default 7")
    if MODE == "options":
        say("option name depth default 3")
        say("option name style default calm")
        say("option name motto default")
    if MODE == "no-author":
        say("id name rogue\nu2048ok")
    elif MODE == "unfriendly":
        say("error no")
    elif MODE == "noisy":
        say(f"hello from nowhere\n{HELLO}\n\nfrobnicate\nu2048ok")
    else:
        say(f"{HELLO}u2048ok")


def parse_cells(text: str) -> list[int]:
    """The exponents of a 4x4 board, row by row."""
    cells = [int(digit, 36) for digit in text.replace("/", "")]
    if len(cells) != 16:
        raise ValueError("only 4x4")
    if MODE == "small" and max(cells) > 14:
        raise ValueError("no tile past 16384")
    return cells


def legal_letters(cells: list[int]) -> str:
    """The letters of the moves that change something: a tile meets a gap or its like."""
    steps = {"u": -4, "r": 1, "d": 4, "l": -1}

    def goes(cell: int, letter: str) -> bool:
        at_edge = {"u": cell < 4, "r": cell % 4 == 3, "d": cell > 11, "l": cell % 4 == 0}
        return (
            cells[cell] > 0
            and not at_edge[letter]
            and cells[cell + steps[letter]] in (0, cells[cell])
        )

    return "".join(c for c in steps if any(goes(cell, c) for cell in range(16)))


REPLIES = {
    "waits": "",
    "thinks": "",
    "none": "bestmove none",
    "garbage": "bestmove sideways",
    "error": "error not today",
    "illegal": "{wrong}",
    "twice": "{good}\n{good}",
    "limits": "info string {limits}\n{good}",
    "options": "info string {limits}\n{good}",
    "deep-info": "info depth 99 best {first}\n{good}",
    "partial-info": "info depth 1 {first} 5\n{good}",
    "other-best": "info best {last}\n{good}",
    "bad-info": "info depth deep\ninfo depth odd pv l d\noption ?\nid\nshapes 0\n"
    "info u 1 nodes 5 {values} depth 3\n{good}",
}
"""What is answered to `go`, by mode."""


def act() -> None:
    """What is done before the answer to `go`."""
    match MODE:
        case "mute":
            sleep_forever()
        case "late":
            time.sleep(0.4)
        case "stubborn":
            note_process()
            sleep_forever()
        case "noted" | "waits":
            note(os.getpid())
        case "crash":
            sys.stderr.write("Traceback (most recent call last):\nZeroDivisionError: boom\n")
            sys.exit(3)
        case "crash-once" if first_time():
            sys.exit(3)
        case "hang-once" if first_time():
            sleep_forever()
        case "signal":
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(60)
        case "megabyte":
            sys.stdout.write("info string " + "x" * 1_000_000)
            sys.stdout.flush()
            sleep_forever()
        case "flood":
            while True:
                say("info depth 1")
        case "child" if first_time():
            os.unlink(FILE)
            sleeper()
        case "leaves-child":
            sleeper()
            sys.exit(0)
        case "stops-itself":
            note(os.getpid())
            os.kill(0, signal.SIGSTOP)
        case "closes":
            note(os.getpid())
            os.close(1)
            sleep_forever()
        case "not-utf8":
            os.write(1, b"info string \xff\xfe\x00\n\xc3\x28\n")
        case "not-utf8-move":
            os.write(1, b"bestmove \xff\xc0\x80\x00\n")


def move_on(cells: list[int], limits: list[str]) -> str:
    """The answer to `go`."""
    act()
    legal = legal_letters(cells)
    good = f"bestmove {legal[0]}" if legal else "bestmove none"
    if MODE == "unended":
        sys.stdout.write(good)
        sys.stdout.flush()
        os._exit(0)
    if MODE == "many-nodes" and "nodes" in limits:
        return f"info depth 2 nodes 5000\n{good}"
    if MODE == "undead" and not legal:
        return "bestmove u"
    if MODE == "forgetful" and legal:
        return f"bestmove {legal[int(time.time() * 1e6) % len(legal)]}"
    return REPLIES.get(MODE if legal or "info" not in MODE else "", "{good}").format(
        good=good,
        wrong=next((f"bestmove {c}" for c in "urdl" if c not in legal), good),
        limits=" ".join(limits),
        first=legal[:1],
        last=legal[-1:],
        values=" ".join(f"{c} 2" for c in legal if c != "u"),
    )


def main() -> None:
    cells: list[int] = []
    settings: list[str] = []
    begin()
    for line in sys.stdin:
        word, *words = line.split() or [""]
        if word == "u2048":
            hello()
        elif word == "ready":
            say("readyok")
            if MODE == "early":
                say("bestmove u")
            if MODE == "deaf":
                sleep_forever()
        elif word == "option":
            settings.append(" ".join(words))
            if MODE not in ("options", "takes-all"):
                say("error no options")
            elif words[0] not in ("depth", "style", "motto") and MODE == "options":
                say("error no such option")
            elif words == ["depth", "10"]:
                say("error at most 9")
        elif word == "new" and (MODE == "no-games" or words[0] != "4x4"):
            say("error no games today" if MODE == "no-games" else "error only 4x4")
        elif word == "position":
            try:
                cells = parse_cells("".join(words[:1]))
            except ValueError as error:
                cells = []
                if MODE == "dies-of-errors":
                    raise
                if MODE != "quiet":
                    say(f"error {error}")
        elif word == "go":
            say(move_on(cells, settings + words) if cells else "error no position")
        elif word == "stop" and MODE == "stops-twice":
            say("bestmove u")
        elif word == "stop" and MODE == "thinks":
            time.sleep(0.2)
            say(f"bestmove {legal_letters(cells)[0]}")
        elif word == "quit":
            if MODE in ("stays", "immortal"):
                sleep_forever()
            sys.exit(4 if MODE == "bad-exit" else 0)
        elif word not in ("new", "stop") and MODE == "strict":
            say(f"error what is {word!r}")
    if MODE in ("stubborn", "stays", "immortal"):
        sleep_forever()


main()
