"""Figures as a terminal shows them."""


def format_speed(value: float) -> str:
    """A rate with about three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def format_pace(pace: float | None) -> str:
    """A pace in words: `8 moves/s`, or `as fast as it can` for None."""
    return "as fast as it can" if pace is None else f"{format_speed(pace)} moves/s"


def format_time(seconds: float) -> str:
    """`0:12`, `1:02:03`; tenths below ten seconds."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
