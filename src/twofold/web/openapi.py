"""The OpenAPI document of the HTTP API."""

import re
from collections.abc import Sequence
from typing import Any, Final

import msgspec

from twofold.version import __version__
from twofold.web.operations import Media, Operation, Text

JSON: Final = "application/json"

_MEDIA: Final = {bytes: "text/plain", Text: "text/plain"}

_PARAMETER: Final = re.compile(r"\{([a-z_]+)(:path)?\}")

_REFUSALS: Final = {
    "400": "The request is invalid; `error` says why.",
    "403": "The token is missing, or the request comes from another origin.",
    "404": "Not found.",
}

DESCRIPTION: Final = """\
Analyse boards, play games, and read saved games. Every request needs the token that
`twofold serve` prints, as `Authorization: Bearer TOKEN`. Seeds are text, since they may pass 2^53.
"""


class Refused(msgspec.Struct, frozen=True):
    """An error: one sentence, and the name of its class, such as `InvalidBoard`."""

    error: str
    kind: str


def openapi(entries: Sequence[Operation]) -> dict[str, Any]:
    """The document for these operations."""
    types = [kind for entry in entries for kind in (entry.body, entry.reply) if _is_json(kind)]
    schemas, components = msgspec.json.schema_components(
        [Refused, *types], ref_template="#/components/schemas/{name}"
    )
    by_type = dict(zip(map(repr, [Refused, *types]), schemas, strict=True))
    paths: dict[str, Any] = {}
    for entry in entries:
        path = _PARAMETER.sub(r"{\1}", entry.path)
        paths.setdefault(path, {})[entry.method.lower()] = _operation(entry, by_type)
    return {
        "openapi": "3.1.0",
        "info": {"title": "twofold", "version": __version__, "description": DESCRIPTION},
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _is_json(kind: Any) -> bool:
    return not isinstance(kind, Media) and kind not in (None, *_MEDIA)


def _operation(entry: Operation, by_type: dict[str, Any]) -> dict[str, Any]:
    refused = {JSON: {"schema": by_type[repr(Refused)]}}
    answers: dict[str, Any] = {
        status: {"description": text, "content": refused} for status, text in _REFUSALS.items()
    }
    if entry.body is not None:
        text = f"The body is larger than {entry.max_bytes} bytes."
        answers["413"] = {"description": text, "content": refused}
    answers[str(entry.status)] = {
        "description": entry.summary,
        "content": _content(entry.reply, by_type),
    }
    words = re.findall(r"[a-z]+", _PARAMETER.sub(r"\1", entry.path.removeprefix("/api")))
    operation = {
        "operationId": "_".join([entry.method.lower(), *words]),
        "summary": entry.summary,
        "parameters": _parameters(entry),
        "responses": dict(sorted(answers.items())),
    }
    if entry.body is not None:
        content = _content(entry.body, by_type)
        if entry.examples:
            examples = {f"example{n}": {"value": one} for n, one in enumerate(entry.examples, 1)}
            content[JSON]["examples"] = examples
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def _content(kind: Any, by_type: dict[str, Any]) -> dict[str, Any]:
    if not _is_json(kind):
        media_type = kind.media_type if isinstance(kind, Media) else _MEDIA[kind]
        return {media_type: {"schema": {"type": "string"}}}
    return {JSON: {"schema": by_type[repr(kind)]}}


def _parameters(entry: Operation) -> list[dict[str, Any]]:
    text = {"type": "string"}
    inside = [
        {"name": name, "in": "path", "required": True, "schema": text}
        for name, _ in _PARAMETER.findall(entry.path)
    ]
    query = [
        {"name": name, "in": "query", "description": meaning, "schema": text}
        for name, meaning in entry.query.items()
    ]
    return inside + query
