"""The OpenAPI document lists all routes and nothing else."""

import json
import re
from typing import Any

from starlette.applications import Starlette
from starlette.routing import Route

from tests.web.driver import Client
from twofold import __version__
from twofold.web.security import Gate


def document(client: Client) -> Any:
    answer = client.get("/openapi.json")
    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    return answer.json


def test_it_lists_every_route_of_the_api(client: Client) -> None:
    assert isinstance(client.app, Gate)
    assert isinstance(client.app.app, Starlette)
    there = {
        (re.sub(r":path\}", "}", route.path), method.lower())
        for route in client.app.app.routes
        if isinstance(route, Route) and route.path.startswith("/api")
        for method in (route.methods or set()) - {"HEAD"}
    }
    listed = document(client)["paths"]
    assert {(path, method) for path, methods in listed.items() for method in methods} == there
    assert len(there) >= 12


def test_it_is_a_document_of_version_3_1(client: Client) -> None:
    found = document(client)
    assert found["openapi"] == "3.1.0"
    assert found["info"]["version"] == __version__
    assert found["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    names = [one["operationId"] for methods in found["paths"].values() for one in methods.values()]
    assert len(set(names)) == len(names)
    for methods in found["paths"].values():
        for operation in methods.values():
            assert operation["summary"].endswith(".")
            assert {"400", "403", "404"} < set(operation["responses"])


def test_every_parameter_in_a_path_is_described(client: Client) -> None:
    for path, methods in document(client)["paths"].items():
        for operation in methods.values():
            inside = [one["name"] for one in operation["parameters"] if one["in"] == "path"]
            assert inside == re.findall(r"\{(\w+)\}", path)


def test_every_reference_leads_somewhere(client: Client) -> None:
    found = document(client)
    references = set(re.findall(r'"\$ref": "#/components/schemas/(\w+)"', json.dumps(found)))
    assert references == set(found["components"]["schemas"])
    assert {"AnalyseBody", "AnalyseReply", "PlayBody", "Refused", "StudyTables"} <= references


def test_the_examples_work(client: Client) -> None:
    tried = 0
    for path, methods in document(client)["paths"].items():
        content = methods.get("post", {}).get("requestBody", {}).get("content", {})
        for example in content.get("application/json", {}).get("examples", {}).values():
            assert client.post(path, example["value"]).status == 200
            tried += 1
    assert tried >= 3
