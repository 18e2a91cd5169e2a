"""Connections that would grow or wait without end are closed."""

import socket
import time
from contextlib import suppress

from server import guarded

PATIENCE = 30


def connect(served):
    host, port = served.url.removeprefix("http://").split(":")
    link = socket.create_connection((host, int(port)), PATIENCE)
    link.settimeout(PATIENCE)
    return link


def read_all(link):
    found = b""
    while piece := link.recv(65536):
        found += piece
    return found


def test_a_head_without_end_is_refused(served):
    with connect(served) as link:
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
        try:
            for _ in range(200):
                link.sendall(b"X-A: " + b"b" * 4096 + b"\r\n")
            told = read_all(link)
        except OSError:  # closed while it was still being sent
            return
        assert told.startswith(b"HTTP/1.1 431 ")


def test_a_large_head_is_answered_by_431(served):
    with connect(served) as link:
        link.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-A: " + b"b" * guarded.HEAD_LIMIT)
        assert read_all(link).startswith(b"HTTP/1.1 431 ")


def test_a_body_may_be_larger_than_a_head(served):
    body = b'{"name": "Livia"' + b" " * (guarded.HEAD_LIMIT + 1000) + b"}"
    with connect(served) as link:
        head = b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
        link.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert read_all(link).startswith(b"HTTP/1.1 201 ")


def test_a_request_that_does_not_come_to_its_end_is_given_up(new_served, monkeypatch):
    monkeypatch.setattr(guarded, "REQUEST_SECONDS", 0.5)
    served = new_served()
    for part in (b"", b"GET /healthz HT", b"POST /v1/players HTTP/1.1\r\nHost: x\r\nContent-Length: 50\r\n\r\n{"):
        with connect(served) as link:
            link.sendall(part)
            begun = time.monotonic()
            with suppress(ConnectionResetError):
                read_all(link)
            assert time.monotonic() - begun < PATIENCE


def test_one_connection_takes_one_request_after_the_other(served):
    with connect(served) as link:
        for _ in range(3):
            link.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
            assert link.recv(65536).startswith(b"HTTP/1.1 200 ")


def test_nobody_says_by_a_header_who_he_is(new_served):
    served = new_served(registration_burst=1, registration_rate=0.01)
    codes = [
        served.nobody.post(
            "/v1/players", json={"name": "Livia"}, headers={"X-Forwarded-For": f"10.0.0.{n}"}
        ).status_code
        for n in range(2)
    ]
    assert codes == [201, 429]
