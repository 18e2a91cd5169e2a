"""The OpenAPI document: valid, complete, and true to the routes. That answers conform to it every test of REST checks."""

import json
import re
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
import schemathesis

from server import openapi
from server.problems import CODES, KINDS, MEDIA_TYPE
from server.rest.media import ARCHIVE
from tests.server import contract
from tests.server.harness import said

WIRE = Path(__file__).parents[2] / "docs" / "wire.md"


def operations() -> dict[str, tuple[str, str, dict[str, Any]]]:
    found = openapi.document()["paths"].items()
    return {op["operationId"]: (path, method, op) for path, ops in found for method, op in ops.items()}


OPERATIONS = operations()


def parts(value: Any) -> list[dict[str, Any]]:
    """Every object in the document."""
    if isinstance(value, list):
        return [part for each in value for part in parts(each)]
    if isinstance(value, dict):
        return [value, *(part for each in value.values() for part in parts(each))]
    return []


def test_it_is_served(rest):
    answer = rest.nobody.get("/openapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.content == openapi.page()
    assert said(answer)["openapi"] == "3.1.0"


def test_it_is_valid_openapi():
    schemathesis.openapi.from_dict(openapi.document()).validate()


def test_every_reference_leads_somewhere():
    references = {part["$ref"] for part in parts(openapi.document()) if "$ref" in part}
    assert len(references) > 30
    for reference in references:
        here = openapi.document()
        for step in reference.removeprefix("#/").split("/"):
            here = here[step]


def test_every_schema_is_used_and_valid():
    used = {part["$ref"] for part in parts(openapi.document()) if "$ref" in part}
    for name, schema in openapi.document()["components"]["schemas"].items():
        jsonschema_rs.meta.validate({"$schema": "https://json-schema.org/draft/2020-12/schema", **schema})
        assert f"#/components/schemas/{name}" in used or name in ("Frame", "FirstFrame"), name


def test_every_route_is_in_it():
    methods = sum(len(methods) for methods in openapi.document()["paths"].values())
    assert len(OPERATIONS) == methods, "each has its own operationId"
    for name, (_, _, operation) in OPERATIONS.items():
        assert re.fullmatch(r"[a-z]+([A-Z][a-z]*)*", name)
        assert operation["tags"][0] in {tag["name"] for tag in openapi.document()["tags"]}
        assert 10 < len(operation["summary"]) < 110, name
        assert operation["description"].endswith("."), name


def test_it_knows_the_same_routes_as_the_contract():
    """docs/wire.md lists them in one block."""
    block = WIRE.read_text("utf-8").split("```")[1]
    listed = set(re.findall(r"^(GET|POST|DELETE) +(/[^ ?]+)", block, re.MULTILINE))
    last = next(line for line in block.splitlines() if "/healthz" in line)
    listed |= {("GET", path) for path in last.split()[1:]}
    listed.discard(("GET", "/healthz"))
    wanted = {(method.upper(), plain(path)) for path, method, _ in OPERATIONS.values()}
    documents = {("GET", "/openapi.json"), ("GET", "/asyncapi.json")}
    assert {(method, plain(path)) for method, path in listed} | {("GET", "/healthz")} == wanted | documents


def plain(path: str) -> str:
    """Whatever the parameters are called."""
    return re.sub(r"{\w+}", "{}", path)


def test_every_code_of_the_closed_list_is_told_by_some_route():
    told = {
        code
        for _, _, operation in OPERATIONS.values()
        for answer in operation["responses"].values()
        for code in answer.get("content", {}).get(MEDIA_TYPE, {}).get("examples", {})
    }
    assert told == set(CODES) - {"method_not_allowed"}, "which no route can tell of"


@pytest.mark.parametrize("name", OPERATIONS)
def test_what_an_operation_tells_of_problems(name):
    path, _, operation = OPERATIONS[name]
    for status, answer in operation["responses"].items():
        if int(status) < 400:
            continue
        content = answer["content"][MEDIA_TYPE]
        validator = contract.validator(jsonschema_text(content["schema"]))
        for code, example in content["examples"].items():
            assert KINDS[code].status == int(status)
            validator.validate(example["value"])
        assert {"401": "WWW-Authenticate", "429": "Retry-After", "503": "Retry-After"}.get(status, "X-Request-Id") in (
            answer["headers"]
        )
    if path.startswith("/v1/"):
        assert {"401", "406", "429", "500", "503"} <= set(operation["responses"])
    if "requestBody" in operation:
        assert {"400", "413", "415", "422"} <= set(operation["responses"])


def jsonschema_text(schema: dict[str, Any]) -> str:
    return json.dumps(schema)


@pytest.mark.parametrize("name", [name for name, (_, method, _) in OPERATIONS.items() if method == "post"])
def test_every_post_takes_a_key(name):
    names = {parameter["name"] for parameter in OPERATIONS[name][2]["parameters"]}
    assert "Idempotency-Key" in names or name == "useInvite", "whose second time changes nothing anyway"


def test_a_file_comes_as_what_it_is():
    content = OPERATIONS["importArchive"][2]["requestBody"]["content"]
    assert set(content) == {ARCHIVE[0]}, "whose other names generators do not know"


@pytest.mark.parametrize(
    "name",
    [name for name, (_, _, each) in OPERATIONS.items() if "requestBody" in each and name != "importArchive"],
)
def test_bodies_come_in_both_codings_with_examples_that_fit(name):
    content = OPERATIONS[name][2]["requestBody"]["content"]
    assert set(content) == {"application/json", "application/msgpack"}
    validator = contract.validator(jsonschema_text(content["application/json"]["schema"]))
    assert content["application/json"]["examples"]
    for example in content["application/json"]["examples"].values():
        validator.validate(example["value"])


def test_links_lead_from_one_operation_to_the_next():
    links = [
        link
        for _, _, op in OPERATIONS.values()
        for a in op["responses"].values()
        for link in a.get("links", {}).values()
    ]
    assert len(links) > 20
    for link in links:
        target = OPERATIONS[link["operationId"]][2]
        names = {parameter["name"] for parameter in target["parameters"]}
        assert set(link["parameters"]) <= names
        required = {parameter["name"] for parameter in target["parameters"] if parameter["required"]}
        assert required - set(link["parameters"]) <= {"seat", "code", "seq"}


def test_who_needs_which_token():
    needs = {name: operation["security"] for name, (_, _, operation) in OPERATIONS.items()}
    assert needs["openTable"] == [{"bearer": ["play"]}]
    assert needs["act"] == [{"bearer": []}], "play for a seat, arbitrate for the arbiter"
    assert needs["abandonTable"] == [{"bearer": ["operate"]}]
    assert needs["getView"] == [{}, {"bearer": []}]
    assert needs["getHealth"] == []


def test_streams_are_told_of():
    content = OPERATIONS["getLog"][2]["responses"]["200"]["content"]
    assert {"application/x-ndjson", "text/event-stream"} <= set(content)


def test_no_address_of_this_machine_stands_in_it():
    text = openapi.page().decode()
    assert str(WIRE.parents[1]) not in text
    assert not re.search(r"127\.0\.0\.1|://", text)
