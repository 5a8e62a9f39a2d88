"""`env`: steps per second of our environments for reinforcement learning and of others."""

import random
from collections.abc import Callable
from functools import partial
from typing import Any, Final

import gymnasium
import numpy as np

from benchmarks.common import Figure, Report, Settings, of_runs, timings
from twofold.env import ENV_ID, Env2048, VectorEnv2048

GAMES: Final = 1_024
VECTOR_STEPS: Final = 50
SINGLE_STEPS: Final = 2_000
OTHER_STEPS: Final = 500
SB3_GAMES: Final = 8
SB3_STEPS: Final = 20
REPEATS: Final = 20
"""Short runs per requested run: some are then undisturbed by other work."""

VECTOR_TARGET: Final = 20.0
SINGLE_TARGET: Final = 300_000
MILLION: Final = 1e6

Run = Callable[[], object]


def measure(settings: Settings) -> Report:
    """Measure random legal actions: many games at once, one game, other environments."""
    figures = [
        *_vector(settings, "exponents", target=VECTOR_TARGET),
        *_vector(settings, "exponents, copy=False", copy=False),
        *_vector(settings, "exponents, SAME_STEP", autoreset_mode="SAME_STEP"),
        *_vector(settings, "bits", observation="bits"),
        *_vector(settings, "tiles", observation="tiles"),
        *_vector(settings, "onehot", observation="onehot"),
        *_vector(settings, "exponents, 5x5", rules="5x5"),
        *_single(settings),
    ]
    notes = [
        f"Vector: {GAMES:,} games, sample_actions and step, {VECTOR_STEPS} times a run; "
        "observations, rewards, masks and infos are made in every step. One thread, CPU time.",
        f"One game: {SINGLE_STEPS:,} steps a run, resets included; CPU time. make: with "
        "Gymnasium's wrappers.",
        f"Median of {REPEATS * settings.runs} runs; from and to are the slowest and the fastest.",
    ]
    for other in (_stable_baselines, _gymnasium_2048, _jumanji, _pgx):
        try:
            figures += other(settings)
        except ImportError as error:
            notes.append(f"Not measured: {error}. See benchmarks/requirements-env.txt.")
    return Report("Environments, random legal actions", figures, notes)


def _speeds(work: Run, steps: int, settings: Settings, *, wall: bool = False) -> list[float]:
    times = timings(work, REPEATS * settings.runs)
    return [steps / (time.wall if wall else time.cpu) for time in times]


def _vector(
    settings: Settings, what: str, target: float | None = None, **options: Any
) -> list[Figure]:
    envs = VectorEnv2048(GAMES, **options)
    envs.reset(seed=settings.seed)
    rng = np.random.default_rng(settings.seed)

    def run() -> None:
        for _ in range(VECTOR_STEPS):
            envs.step(envs.sample_actions(rng))

    speeds = [speed / MILLION for speed in _speeds(run, GAMES * VECTOR_STEPS, settings)]
    return [of_runs(f"{GAMES:,} games, {what}", speeds, "M steps/s", at_least=target)]


def _single(settings: Settings) -> list[Figure]:
    figures = []
    made = gymnasium.make(ENV_ID, disable_env_checker=True)
    for what, env, target in (
        ("one game", Env2048(), SINGLE_TARGET),
        ("one game, make", made, None),
    ):
        _, info = env.reset(seed=settings.seed)
        run = partial(_play, env, info["action_mask"], SINGLE_STEPS, settings.seed)
        speeds = _speeds(run, SINGLE_STEPS, settings)
        figures.append(of_runs(what, speeds, "steps/s", at_least=target))
    return figures


def _play(env: Any, mask: Any, steps: int, seed: int) -> None:
    """Steps of one game with legal actions, chosen by a table of the masks."""
    choices = [[move for move in range(4) if legal >> move & 1] for legal in range(16)]
    table = {
        np.array([legal >> move & 1 for move in range(4)], dtype=np.int8).tobytes(): choices[legal]
        for legal in range(16)
    }
    chance = random.Random(seed).random
    for _ in range(steps):
        legal = table[mask.tobytes()]
        _, _, terminated, _, info = env.step(legal[int(chance() * len(legal))])
        if terminated:
            _, info = env.reset()
        mask = info["action_mask"]


def _stable_baselines(settings: Settings) -> list[Figure]:
    """Random legal actions, by the masks that MaskablePPO asks for; with `Monitor`."""
    try:
        from stable_baselines3.common.env_util import make_vec_env
        from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv

        from twofold.env.sb3 import VecEnv2048
    except ImportError:
        raise ImportError("Stable-Baselines3 is not installed") from None
    figures = []
    for games in (SB3_GAMES, GAMES):
        kinds: dict[str, Any] = {"VecEnv2048": VecEnv2048}
        if games == SB3_GAMES:  # a process a game
            for kind in (DummyVecEnv, SubprocVecEnv):
                kinds[kind.__name__] = partial(make_vec_env, ENV_ID, vec_env_cls=kind)
        for name, make in kinds.items():
            envs = make(games)
            envs.seed(settings.seed)
            envs.reset()
            work = partial(_step_by_masks, envs, np.random.default_rng(settings.seed))
            wall = name == "SubprocVecEnv"
            speeds = _speeds(work, games * SB3_STEPS, settings, wall=wall)
            envs.close()
            clock = "wall clock, all cores" if wall else "CPU time"
            what = f"Stable-Baselines3, {games:,} games, {name}, {clock}"
            figures.append(of_runs(what, speeds, "steps/s"))
    return figures


def _step_by_masks(envs: Any, rng: np.random.Generator) -> None:
    for _ in range(SB3_STEPS):
        masks = np.stack(envs.env_method("action_masks"))
        envs.step((rng.random(masks.shape) * masks).argmax(axis=1))


# Other environments; their documentation says which rules they leave out.


def _gymnasium_2048(settings: Settings) -> list[Figure]:
    try:
        import gymnasium_2048  # noqa: F401
    except ImportError:
        raise ImportError("gymnasium-2048 is not installed") from None
    env = gymnasium.make("gymnasium_2048/TwentyFortyEight-v0", disable_env_checker=True)
    env.reset(seed=settings.seed)
    chance = random.Random(settings.seed)

    def run() -> None:
        for _ in range(OTHER_STEPS):
            if env.step(chance.randrange(4))[2]:
                env.reset()

    speeds = _speeds(run, OTHER_STEPS, settings)
    return [of_runs("gymnasium-2048, one game, any action", speeds, "steps/s")]


def _jumanji(settings: Settings) -> list[Figure]:
    try:
        import jax
        import jumanji
    except ImportError:
        raise ImportError("Jumanji is not installed") from None
    env = jumanji.make("Game2048-v1")

    def begin(keys: Any) -> Any:
        return jax.vmap(env.reset)(keys)

    def act(state: Any, timestep: Any, key: Any) -> Any:
        logits = jax.numpy.where(timestep.observation.action_mask, 0.0, -1e9)
        state, timestep = jax.vmap(env.step)(state, jax.random.categorical(key, logits))
        return state, timestep

    return _jax("Jumanji", jax, begin, act, settings)


def _pgx(settings: Settings) -> list[Figure]:
    try:
        import jax
        import pgx
    except ImportError:
        raise ImportError("Pgx is not installed") from None
    env = pgx.make("2048")

    def begin(keys: Any) -> Any:
        return (jax.vmap(env.init)(keys), None)

    def act(state: Any, _: Any, key: Any) -> Any:
        logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
        first, second = jax.random.split(key)
        actions = jax.random.categorical(first, logits)
        return jax.vmap(env.step)(state, actions, jax.random.split(second, GAMES)), None

    return _jax("Pgx", jax, begin, act, settings)


def _jax(name: str, jax: Any, begin: Any, act: Any, settings: Settings) -> list[Figure]:
    """A compiled scan over steps, which also steps games that have ended."""
    keys = jax.random.split(jax.random.PRNGKey(settings.seed), GAMES)

    @jax.jit
    def play(carry: Any, keys: Any) -> Any:
        return jax.lax.scan(lambda state, key: (act(*state, key), None), carry, keys)[0]

    steps = 100
    carry = jax.jit(begin)(keys)
    chain = jax.random.split(jax.random.PRNGKey(settings.seed + 1), steps)
    speeds = _speeds(
        lambda: jax.block_until_ready(play(carry, chain)), GAMES * steps, settings, wall=True
    )
    what = f"{name}, {GAMES:,} games, wall clock, all cores"
    return [of_runs(what, [speed / MILLION for speed in speeds], "M steps/s")]
