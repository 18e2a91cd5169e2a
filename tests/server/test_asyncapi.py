"""The AsyncAPI document, and that what goes over the wire is what it says: streams here, sockets with a real client."""

import json
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from websockets.sync.client import connect

from server import asyncapi
from server.problems import CODES
from tests.server.harness import Person, Served, said

DOCUMENT = asyncapi.document()
SENT = ("FirstFrame", "Frame", "Ack", "Trouble")


def judge(name: str) -> jsonschema_rs.Draft7Validator:
    """A validator of a schema of the document, by the dialect that AsyncAPI takes schemas to be in."""
    return jsonschema_rs.Draft7Validator({"$ref": f"#/components/schemas/{name}", "components": DOCUMENT["components"]})


def kinds(frame: dict[str, Any]) -> list[str]:
    """Which of the server's messages the frame may be. An entry with the whole view has all of a first frame, too."""
    found = [name for name in SENT if judge(name).is_valid(frame)]
    return ["Frame"] if "Frame" in found else found


def references(value: Any) -> set[str]:
    match value:
        case {"$ref": str(found)}:
            return {found}
        case dict():
            return {found for each in value.values() for found in references(each)}
        case list():
            return {found for each in value for found in references(each)}
        case _:
            return set()


# --- The document -------------------------------------------------------------------------------------


def test_it_is_served(rest):
    answer = rest.nobody.get("/asyncapi.json")
    assert answer.headers["content-type"] == "application/json"
    assert answer.content == asyncapi.page()
    assert said(answer)["asyncapi"] == "3.0.0"


def test_every_reference_leads_somewhere():
    found = references(DOCUMENT)
    assert len(found) > 15
    for reference in found:
        here = DOCUMENT
        for step in reference.removeprefix("#/").split("/"):
            here = here[step]


def test_every_schema_is_valid_and_every_message_has_one():
    for schema in DOCUMENT["components"]["schemas"].values():
        jsonschema_rs.meta.validate({"$schema": "http://json-schema.org/draft-07/schema#", **schema})
    for name, message in DOCUMENT["components"]["messages"].items():
        assert message["payload"]["$ref"].rpartition("/")[2] in asyncapi.PAYLOADS, name
        assert message["summary"]
    assert set(DOCUMENT["channels"]["table"]["messages"]) == set(DOCUMENT["components"]["messages"])


def test_its_examples_fit():
    examples = [
        (message["payload"]["$ref"].rpartition("/")[2], example["payload"])
        for message in DOCUMENT["components"]["messages"].values()
        for example in message.get("examples", ())
    ]
    assert len(examples) == 2
    for name, payload in examples:
        judge(name).validate(payload)


def test_its_channel_is_the_sockets_route(rest):
    path = DOCUMENT["channels"]["table"]["address"].replace("{table}", "{table:str}")
    assert path in {route.path for route in rest.app.routes}


def test_the_codes_of_problems_are_the_closed_list():
    assert DOCUMENT["components"]["schemas"]["Problem"]["properties"]["code"]["enum"] == list(CODES)


# --- Frames -------------------------------------------------------------------------------------------


def test_the_frames_of_a_stream_conform(rest):
    livia, marcus = rest.people("Livia", "Marcus")
    table = rest.played(livia, marcus)
    for who in (livia, rest.nobody):
        for query in ("", "?after=1"):
            answer = who.get(f"{table}/log{query}", headers={"accept": "application/x-ndjson"})
            frames = [json.loads(line) for line in answer.text.splitlines() if line]
            assert frames
            for frame in frames:
                assert kinds(frame) == (["Frame"] if query else ["FirstFrame"])


def socket(served: Served, who: Person, table: str, coding: str, query: str = "") -> Any:
    token = [f"comitium.bearer.{who.token}"] if who.token else []
    url = f"{served.socket_url}{table}/live{query}"
    return connect(url, subprotocols=[f"comitium.{coding}", *token], proxy=None, open_timeout=20)


def exchange(link: Any, coding: str, *frames: dict[str, Any]) -> list[dict[str, Any]]:
    """Sends the frames; everything that comes until all are answered."""
    for frame in frames:
        link.send(json.dumps(frame) if coding == "json" else msgspec.msgpack.encode(frame))
    found: list[dict[str, Any]] = []
    while sum("id" in each for each in found) < len(frames):
        data = link.recv(timeout=20)
        found.append(json.loads(data) if coding == "json" else unpacked(msgspec.msgpack.decode(data)))
    return found


def unpacked(frame: dict[str, Any]) -> dict[str, Any]:
    return {**frame, "entry": json.loads(frame["entry"])} if "entry" in frame else frame


@pytest.mark.parametrize("coding", ["json", "msgpack"])
def test_the_frames_of_a_socket_conform(served, coding):
    livia, marcus = served.people("Livia", "Marcus")
    table = served.table(livia, marcus)
    frames = [
        {"id": 1, "action": {"type": "say", "text": "Ave"}, "key": "k", "if_match": 3},
        {"id": "two", "action": {"type": "say", "text": "Ave"}, "key": "k", "if_match": 3},
        {"id": 3, "action": {"type": "nope"}},
        {"id": 4, "action": {"type": "pay", "to": 1, "amount": 1}},
        {"id": 5, "action": {"type": "keep"}, "if_match": 999},
        {"id": 6, "action": {"type": "keep"}},
    ]
    for frame in frames:
        judge("ClientFrame").validate(frame)
    with socket(served, livia, table, coding) as link:
        found = exchange(link, coding, *frames)
    seen = [kinds(frame) for frame in found]
    assert all(len(kind) == 1 for kind in seen), found
    assert [kind for (kind,) in seen] == [
        "FirstFrame",
        "Frame",
        "Ack",
        "Ack",
        "Trouble",
        "Trouble",
        "Trouble",
        "Frame",
        "Ack",
    ]


@pytest.mark.parametrize(
    "frame", [{"action": {}}, {"id": 1}, {"id": 1, "action": {"type": "keep"}, "more": 1}, {"id": None}]
)
def test_what_the_document_does_not_allow_the_server_refuses(served, frame):
    assert not judge("ClientFrame").is_valid(frame)
    livia, marcus = served.people("Livia", "Marcus")
    with socket(served, livia, served.table(livia, marcus), "json") as link:
        first, answer = exchange(link, "json", frame)
    assert (kinds(first), kinds(answer)) == (["FirstFrame"], ["Trouble"])


def test_who_may_not_be_here_is_told_by_a_frame(served):
    with socket(served, served.nobody, "/v1/tables/00-aaaaaaaaaaaaaaaa", "json") as link:
        link.send('{"authorization": "Bearer x"}')
        frame = json.loads(link.recv(timeout=20))
    assert kinds(frame) == ["Trouble"]


def test_a_socket_to_nowhere_is_told_by_a_frame(served):
    url = f"{served.socket_url}/v1/nope"
    with connect(url, subprotocols=["comitium.json"], proxy=None) as link:
        frame = json.loads(link.recv(timeout=20))
    assert kinds(frame) == ["Trouble"]
    assert frame["problem"]["code"] == "not_found"
