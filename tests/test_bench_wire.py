"""The load generator's half of the wire: frames, and what each peer's messages mean."""

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bench.dialects import ACK, DIALECTS, OTHER, REFUSED, Door
from bench.frames import PING, TEXT, Broken, Frames, frame
from bench.play import member
from games.core import Ask, Between, OneOf, SomeOf, within

DOOR = Door(table=3, seat=2, path="/x", match="M", secret="S")


def sent_by_server(payload: bytes, opcode: int = TEXT) -> bytes:
    """What a server sends: our client's frame without its mask."""
    own = frame(payload, opcode)
    head = len(own) - len(payload) - 4
    return bytes([own[0], own[1] & 127]) + own[2:head] + payload


@settings(deadline=None)
@given(st.lists(st.integers(0, 300) | st.sampled_from([65_535, 65_536]), max_size=4), st.randoms())
def test_frames_come_out_whole_however_the_bytes_arrive(sizes, chance):
    stream = b"".join(sent_by_server(bytes(size)) for size in sizes)
    frames, found = Frames(), []
    while stream:
        cut = chance.choice([1, 2, 7, len(stream)])
        found += frames.feed(stream[:cut])
        stream = stream[cut:]
    assert found == [(TEXT, bytes(size)) for size in sizes]


def test_a_ping_is_told_from_a_text():
    assert Frames().feed(sent_by_server(b"x", PING)) == [(PING, b"x")]


def test_a_message_in_pieces_is_refused():
    with pytest.raises(Broken):
        Frames().feed(bytes([TEXT, 1]) + b"x")


def test_our_messages():
    ours = DIALECTS["ours"](DOOR)
    assert ours.read(b'{"seq":9,"entry":{"action":{"amount":1,"type":"add"},"at":1,"by":2,"events":[]}}') == 2
    assert ours.read(b'{"seq":9,"entry":{"action":{"type":"start"},"at":1,"by":"server","events":[]}}') < 0
    assert ours.read(b'{"id":1,"seq":9,"head":"","receipt":{"table":"t"}}') == ACK
    assert ours.read(b'{"id":1,"problem":{"status":409}}') == REFUSED
    assert msgspec.json.decode(ours.command(9)) == {"id": 9, "action": {"type": "add", "amount": 1}}


def test_an_echo_names_its_sender():
    echo = DIALECTS["echo_all"](DOOR)
    assert echo.read(echo.command(5)) == 2


def test_getting_in_at_boardgame():
    peer = DIALECTS["boardgame"](DOOR)
    assert peer.greet(b'0{"sid":"a"}') == ([b"40/tally,"], False)
    assert peer.greet(b'40/tally,{"sid":"b"}') == ([b'42/tally,["sync","M","2","S",4]'], False)
    assert peer.greet(b'42/tally,["sync","M",{}]') == ([], True)
    assert peer.answer(b"2") == b"3"


def test_moves_at_boardgame():
    peer = DIALECTS["strict"](DOOR)
    update = (
        b'42/tally,["update","M",{"G":{"totals":[0,3,0,0]},"_undo":[],"_stateID":17},'
        b'[{"action":{"type":"MAKE_MOVE","payload":{"type":"strict","args":[3],"playerID":"1"}},"_stateID":16}]]'
    )
    assert peer.read(update) == 1
    assert peer.read(b'42/tally,["matchData","M",[]]') == OTHER
    name, move, state, match, seat = msgspec.json.decode(peer.command(2).removeprefix(b"42/tally,"))
    assert (name, state, match, seat) == ("update", 17, "M", "2")
    assert move["payload"] == {"type": "strict", "args": [3], "playerID": "2", "credentials": "S"}


@settings(deadline=None)
@given(st.integers(0, 2**32))
def test_a_random_member_is_within_its_ask(seed):
    ask = Ask("x", {"a": OneOf((True, "b", None)), "b": Between(2, 5), "c": SomeOf((1, 2, 3), 1, 2)})
    made = member(msgspec.json.decode(msgspec.json.encode(ask)), random.Random(seed))

    class Made(msgspec.Struct):
        a: object
        b: int
        c: tuple[int, ...]

    assert made["type"] == "x"
    assert within(ask, msgspec.convert(made, Made))
