"""A stand-in for the module `ray`: the part of it that our workers use, on this machine.

Actors are processes that are forked with the package imported, so that they are there in
milliseconds and can be killed. Ray itself starts eight processes that each import it, and gives up
where one takes longer than 15 s, which no setting changes: see ray-project/ray#65983.
"""

from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection
from types import SimpleNamespace
from typing import Any

from tests.support.forks import context


class RayError(Exception):
    """The base of Ray's errors."""


class RayTaskError(RayError):
    """A method of an actor has raised `cause`."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class RayActorError(RayError):
    """The process of an actor is gone."""


exceptions = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError)


class Ref:
    """A present or future answer of an actor."""

    def __init__(self, actor: "Actor") -> None:
        self.actor = actor
        self.found: deque[Any] = deque()
        self.ended = False

    def wait(self, timeout: float | None = None) -> bool:
        """True if there is an answer within the timeout."""
        while not (self.found or self.ended):
            if not self.actor.hear(timeout):
                return False
        return True

    def take(self) -> Any:
        self.wait()
        if not self.found:
            raise StopIteration
        kind, value = self.found.popleft()
        if kind == "error":
            raise value
        return value

    def __next__(self) -> "Ref":
        self.wait()
        if not self.found:
            raise StopIteration
        one = Ref(self.actor)
        one.found.append(self.found.popleft())
        return one


class Method:
    """A method of an actor, to be called there."""

    def __init__(self, actor: "Actor", name: str) -> None:
        self.actor, self.name, self.streams = actor, name, False

    def options(self, *, num_returns: str) -> "Method":
        assert num_returns == "streaming"
        self.streams = True
        return self

    def remote(self, *arguments: Any) -> Ref:
        return self.actor.call(self.name, arguments, self.streams)


class Actor:
    """An object in another process. Its calls are answered in order."""

    def __init__(self, make: Callable[..., object], arguments: Sequence[Any]) -> None:
        self._pipe, theirs = context().Pipe()
        self._process = context().Process(target=_serve, args=(theirs, make, *arguments))
        self._process.start()
        theirs.close()
        self._open: deque[Ref] = deque()

    def __getattr__(self, name: str) -> Method:
        return Method(self, name)

    def call(self, name: str, arguments: Sequence[Any], streams: bool) -> Ref:
        ref = Ref(self)
        self._open.append(ref)
        try:
            self._pipe.send((name, arguments, streams))
        except OSError:
            self._died()
        return ref

    def hear(self, timeout: float | None) -> bool:
        """Receive an answer; True if there was one, or the actor is dead."""
        try:
            if not self._pipe.poll(timeout):
                return False
            kind, value = self._pipe.recv()
        except (EOFError, OSError):
            self._died()
            return True
        if kind != "end":
            self._open[0].found.append((kind, value))
        if kind != "item":
            self._open.popleft().ended = True
        return True

    def _died(self) -> None:
        for ref in self._open:
            ref.found.append(("error", RayActorError()))
            ref.ended = True
        self._open.clear()

    def end(self) -> None:
        self._process.kill()
        self._process.join()


def _serve(pipe: Connection, make: Callable[..., object], *arguments: Any) -> None:
    one = make(*arguments)
    while True:
        try:
            name, given, streams = pipe.recv()
        except EOFError:
            return
        try:
            answer = getattr(one, name)(*given)
            if streams:
                for item in answer:
                    pipe.send(("item", item))
                pipe.send(("end", None))
            else:
                pipe.send(("value", answer))
        except Exception as error:
            pipe.send(("error", RayTaskError(error)))


ALL: list[Actor] = []


def init(**_: object) -> None:
    """A cluster is there already."""


def shutdown() -> None:
    """End the actors, as the end of a program does."""
    while ALL:
        ALL.pop().end()


def cluster_resources() -> dict[str, float]:
    return {"CPU": 2.0}


def remote(**_: object) -> Callable[[Callable[..., object]], SimpleNamespace]:
    def decorate(make: Callable[..., object]) -> SimpleNamespace:
        return SimpleNamespace(remote=lambda *arguments: _begin(make, arguments))

    return decorate


def _begin(make: Callable[..., object], arguments: Sequence[Any]) -> Actor:
    ALL.append(Actor(make, arguments))
    return ALL[-1]


def put(value: Any) -> Any:
    return value


def get(what: Any) -> Any:
    if isinstance(what, list):
        return [get(one) for one in what]
    return what.take() if isinstance(what, Ref) else what


def wait(refs: list[Ref], *, timeout: float) -> tuple[list[Ref], list[Ref]]:
    ready = [ref for ref in refs if ref.wait(timeout)]
    return ready, [ref for ref in refs if ref not in ready]


def kill(actor: Actor) -> None:
    actor.end()
