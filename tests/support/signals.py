"""Processes that hear the signals which whoever runs the tests may ignore."""

import signal


def hear_signals() -> None:
    """For `preexec_fn`: what is started by a job in the background, or by `nohup`, ignores them."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("SIGHUP", "SIGTERM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
