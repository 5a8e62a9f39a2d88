"""The operations of the laboratory."""

from pathlib import Path
from urllib.parse import quote

from starlette.responses import Response, StreamingResponse

from twofold.web.lab import laboratory as lab
from twofold.web.lab.runs import RunCurve, RunInfo, run, runs
from twofold.web.operations import Media, Operation, operation, operations_of


def lab_operations(folder: Path) -> list[Operation]:
    """The operations; studies and training runs are in `folder` and its subfolders."""
    return operations_of(_Lab(folder))


class _Lab:
    """Studies, their list and runs have threads of their own: none delays another."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @operation("GET /api/studies", tagged=True)
    def studies(self) -> list[lab.StudyInfo]:
        """List the studies in the folder, changed last first."""
        return lab.studies(self._folder)

    @operation("GET /api/studies/{name:path}/games.csv", reply=Media("text/csv"), threads="studies")
    def games(self, name: str) -> Response:
        """All games of a study, as `twofold report --csv` writes them."""
        file, parts = lab.games_csv(self._folder, name)
        headers = {"Content-Disposition": f"attachment; filename*=utf-8''{quote(file, safe='')}"}
        return StreamingResponse(parts, headers=headers, media_type="text/csv")

    @operation("GET /api/studies/{name:path}", threads="studies", tagged=True)
    def study(self, name: str) -> lab.StudyTables:
        """The tables of a study."""
        return lab.study(self._folder, name)

    @operation("GET /api/runs", threads="runs", tagged=True)
    def runs(self) -> list[RunInfo]:
        """List the training runs in the folder, changed last first."""
        return runs(self._folder)

    @operation("GET /api/runs/{name:path}", threads="runs", tagged=True)
    def run(self, name: str) -> RunCurve:
        """The curve of a training run."""
        return run(self._folder, name)
