"""What every request passes, and what reads bodies and chooses forms, each by itself."""

import asyncio
import re
from pathlib import Path

import msgspec
import pytest

from server import bodies
from server.front import Front
from server.problems import DETAILS, Problem
from server.rest import media

SERVER = Path(__file__).parents[2] / "server"
OFFERED = (*media.ANSWERS, *media.STREAMS)


def passed(app, method="GET", kind="http", came=(), **headers):
    """What the application in front of that one sends."""
    sent = []
    coming = [*came, {"type": "http.request", "body": b"", "more_body": False}]
    names = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    scope = {"type": kind, "path": "/x", "query_string": b"token=cmt_x", "headers": names}
    if kind == "http":
        scope["method"] = method

    async def receive():
        if coming:
            return coming.pop(0)
        await asyncio.sleep(3600)
        raise AssertionError

    async def send(message):
        sent.append(message)

    asyncio.run(asyncio.wait_for(Front(app)(scope, receive, send), 10))
    return sent


def start(status=200, *headers):
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


def body(data=b"x", *, more=False):
    return {"type": "http.response.body", "body": data, "more_body": more}


# --- The front ----------------------------------------------------------------------------------------


async def broken(_scope, _receive, _send):
    raise RuntimeError("canary")


@pytest.mark.parametrize("language", ["en", "ja"])
def test_what_nothing_else_catches_is_a_problem(errors, language):
    head, content = passed(broken, accept_language=language)
    assert head["status"] == 500
    assert dict(head["headers"])[b"content-type"] == b"application/problem+json"
    assert msgspec.json.decode(content["body"])["code"] == "internal"
    assert b"canary" not in content["body"]
    assert "canary" in errors.said()[0]
    errors.clear()


def test_what_breaks_after_the_start_is_left_to_the_server(errors):
    async def app(_scope, _receive, send):
        await send(start())
        raise RuntimeError("canary")

    with pytest.raises(RuntimeError):
        passed(app)
    errors.clear()


def test_a_socket_that_breaks_is_closed(errors):
    (close,) = passed(broken, kind="websocket")
    assert (close["type"], close["code"]) == ("websocket.close", 1011)
    errors.clear()


def test_a_socket_that_nobody_accepts_is_told_why():
    async def app(_scope, _receive, send):
        await send({"type": "websocket.close", "code": 4500, "reason": "Not Found"})

    accept, told, close = passed(app, kind="websocket", accept_language="ja")
    assert accept["type"] == "websocket.accept"
    assert msgspec.json.decode(told["text"])["problem"]["code"] == "not_found"
    assert close["code"] == 1008


def test_head_ends_what_would_go_on_for_ever():
    async def app(scope, receive, send):
        assert scope["method"] == "GET"
        await send(start(200, (b"allow", b"GET, websocket")))
        while (await receive())["type"] != "http.disconnect":
            await send(body(more=True))

    head, content = passed(app, "HEAD")
    assert (content["body"], content["more_body"]) == (b"", False)
    assert dict(head["headers"])[b"allow"] == b"GET, HEAD"


def test_the_query_is_in_no_line(caplog):
    async def app(_scope, _receive, send):
        await send(start())
        await send(body())

    caplog.set_level("DEBUG", "comitium")
    passed(app, x_request_id="from-a-proxy")
    (line,) = [record for record in caplog.records if record.msg == "request"]
    assert line.fields["status"] == 200
    assert "cmt_" not in str(vars(line))


# --- Forms --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accept", "found"),
    [
        ("", media.JSON),
        ("text/event-stream", media.SSE),
        ("application/x-ndjson;q=0.2, text/event-stream;q=0.9", media.SSE),
        ("*/*;q=0.1, application/x-ndjson", media.NDJSON),
        ("application/json;q=0.1, */*;q=0.5", media.MSGPACK),
        ("text/*", media.SSE),
        ("*/*;q=0", None),
        ("text/html;q=1.0, image/png", None),
        (",,;;,q=1", media.JSON),
        ("a/b" * 1000, media.JSON),
    ],
)
def test_the_best_form(accept, found):
    assert media.best(accept, OFFERED) == found


@pytest.mark.parametrize(
    ("kind", "coding"),
    [
        (None, "json"), ("", "json"), ("application/json", "json"), ("Application/JSON ; Charset=UTF-8", "json"),
        ('application/json; charset="utf-8"', "json"), ("application/msgpack", "msgpack"),
        ("application/vnd.msgpack", "msgpack"), ("application/json; charset=utf-16", None), ("text/json", None),
    ],
)  # fmt: skip
def test_the_coding_of_a_body(kind, coding):
    assert media.coding_in(kind) == coding


# --- Bodies -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [{"a": [1, "x", None, True, 1.5, {"b": {}}]}, [], "x", bodies.GREATEST, -bodies.GREATEST]
)
def test_both_codings_say_the_same(value):
    decode = bodies.decoder(object).decode
    for coding, encode in (("json", msgspec.json.encode), ("msgpack", msgspec.msgpack.encode)):
        assert bodies.read(decode, encode(value), coding) == value


@pytest.mark.parametrize(
    "data",
    [
        b"", b"\xc1", b"\xa1\xff", b"\xdd\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\x91" * 20_000 + b"\x01",
        msgspec.msgpack.encode(b"x"), msgspec.msgpack.encode({1: 2}), msgspec.msgpack.encode([1 << 53]),
        msgspec.msgpack.encode([-(1 << 63)]), msgspec.msgpack.encode({"a": msgspec.msgpack.Ext(1, b"")}),
        msgspec.msgpack.encode(float("nan")), msgspec.msgpack.encode([float("inf")]),
    ],
)  # fmt: skip
def test_what_message_pack_cannot_say(data):
    with pytest.raises(Problem) as refused:
        bodies.read(bodies.decoder(object).decode, data, "msgpack")
    assert refused.value.code == "malformed"


@pytest.mark.parametrize("coding", ["json", "msgpack"])
@pytest.mark.parametrize("value", ["x" * 101, ["x" * 101], {"x" * 101: 1}, {"a": {"b": "あ" * 101}}])
def test_long_texts_wherever_they_stand(coding, value):
    data = msgspec.json.encode(value) if coding == "json" else msgspec.msgpack.encode(value)
    with pytest.raises(Problem) as refused:
        bodies.read(bodies.decoder(object).decode, data, coding, longest=100)
    assert refused.value.code == "too_large"


# --- Sentences ----------------------------------------------------------------------------------------


def test_every_sentence_that_is_used_exists_and_the_other_way_round():
    text = "\n".join(path.read_text("utf-8") for path in SERVER.rglob("*.py"))
    used = set(re.findall(r'Problem\(\s*(?:"\w+"|code),\s*"(\w+)"', text)) | set(
        re.findall(r'(?:Refused|KeySpent|KeyReused|UnknownPlayer)\(\s*"(\w+)"', text)
    )
    known_codes = {"frozen", "not_your_seat"}  # of the table's own refusals
    assert used - known_codes <= DETAILS.keys()
    assert {key for key in DETAILS if f'"{key}"' not in text} == set()
