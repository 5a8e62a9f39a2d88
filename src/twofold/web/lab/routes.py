"""The operations of the laboratory."""

from pathlib import Path
from typing import Final
from urllib.parse import quote

from anyio import CapacityLimiter
from starlette.responses import Response, StreamingResponse

from twofold.web.lab import laboratory as lab
from twofold.web.lab.runs import RunCurve, RunInfo, run, runs
from twofold.web.operations import Call, Media, Operation

MAX_THREADS: Final = 4
"""Threads for each of studies, their list and runs, so that no kind of request delays another."""


def lab_operations(folder: Path) -> list[Operation]:
    """The operations; studies and training runs are in `folder` and its subfolders."""
    slow, lists, quick = (CapacityLimiter(MAX_THREADS) for _ in range(3))

    def games(call: Call) -> Response:
        name, parts = lab.games_csv(folder, call.path["name"])
        headers = {"Content-Disposition": f"attachment; filename*=utf-8''{quote(name, safe='')}"}
        return StreamingResponse(parts, headers=headers, media_type="text/csv")

    return [
        Operation(
            path="/api/studies",
            summary="List the studies in the folder, changed last first.",
            work=lambda _: lab.studies(folder),
            reply=list[lab.StudyInfo],
            threads=lists,
            tagged=True,
        ),
        Operation(
            path="/api/studies/{name:path}/games.csv",
            summary="All games of a study, as `twofold report --csv` writes them.",
            work=games,
            reply=Media("text/csv"),
            threads=slow,
        ),
        Operation(
            path="/api/studies/{name:path}",
            summary="The tables of a study.",
            work=lambda call: lab.study(folder, call.path["name"]),
            reply=lab.StudyTables,
            threads=slow,
            tagged=True,
        ),
        Operation(
            path="/api/runs",
            summary="List the training runs in the folder, changed last first.",
            work=lambda _: runs(folder),
            reply=list[RunInfo],
            threads=quick,
            tagged=True,
        ),
        Operation(
            path="/api/runs/{name:path}",
            summary="The curve of a training run.",
            work=lambda call: run(folder, call.path["name"]),
            reply=RunCurve,
            threads=quick,
            tagged=True,
        ),
    ]
