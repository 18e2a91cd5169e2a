"""The client without `await`: the same calls, the same answers."""

import inspect
import random
import threading
from typing import get_type_hints

import pytest

import comitium_client
from comitium_client import NotFound, Refused, random_action, sync
from tests.clients.test_client_fakes import QUICK, SERVER, House


@pytest.fixture
def house() -> House:
    return House()


def client_for(house: House, name: str) -> sync.Client:
    seams = {"transport": house.transport, "connect": house.connect, "retry": QUICK}
    return sync.Client(SERVER, token=house.token(name), **seams)


PAIRS = [(comitium_client.Client, sync.Client), (comitium_client.Table, sync.Table), (comitium_client.Live, sync.Live)]


def public(kind: type) -> dict[str, object]:
    return {name: each for name, each in vars(kind).items() if not name.startswith("_")}


@pytest.mark.parametrize(("asynchronous", "synchronous"), PAIRS)
def test_the_two_faces_are_the_same(asynchronous, synchronous):
    there, here = public(asynchronous), public(synchronous)
    assert there.keys() - {"created"} == here.keys()
    for name, method in here.items():
        if isinstance(method, property):
            assert isinstance(there[name], property)
        else:
            twins = inspect.signature(method), inspect.signature(there[name])
            assert list(twins[0].parameters.values()) == list(twins[1].parameters.values()), name


def test_the_options_are_those_of_the_other_client():
    parameters = inspect.signature(comitium_client.Client).parameters
    hints = get_type_hints(comitium_client.Client.__init__)
    options = {name: hints[name] for name, each in parameters.items() if each.kind is each.KEYWORD_ONLY}
    assert options == get_type_hints(sync.Options)


def test_a_game_without_await(house):
    with client_for(house, "Livia") as livia, client_for(house, "Gaius") as gaius:
        table = livia.create_table("counting", 2)
        assert repr(table) == "<Table t1>"
        other = gaius.table(table.id)
        other.sit()
        assert livia.me().name == "Livia"
        while table.summary().status == "playing":
            for each in (table, other):
                action = random_action(each.asks().must, random.Random(1))
                if action:
                    each.act(action)
        assert [entry.seq for entry in table.log()] == list(range(1, house.tables["t1"].seq + 1))
        assert [found.id for found in livia.tables(status="ended")] == ["t1"]
        assert livia.receipts.of(SERVER, "t1") == table.receipts


def test_following_without_await(house):
    fake = house.table("Livia")
    with client_for(house, "Livia") as livia:
        live = livia.table("t1").follow()
        seqs = []
        for update in live:
            seqs.append(update.seq)
            if live.must and update.seq == live.seq:
                live.act("count", n=3)
        assert seqs == list(range(2, fake.seq + 1))
        assert live.over
        assert fake.followers == []


def test_a_session_can_be_left_and_taken_up_again(house):
    fake = house.table("Livia", "Gaius")
    with client_for(house, "Livia") as livia:
        with livia.table("t1").follow() as live:
            for _ in live:
                break
            live.act("count", n=1)
            assert (live.seq, live.head, live.since, live.to_act) == (4, fake.head, 4, (1,))
            assert (live.now.view, live.view["game"]["total"], live.must) == (live.view, 1, ())
            assert next(iter(live)).seq == 4
            assert len(fake.followers) == 1
        assert fake.followers == []
        for _ in livia.table("t1").follow(after=3):
            break
        assert fake.followers == []


def test_exceptions_are_the_same(house):
    house.table("Livia", "Gaius")
    with client_for(house, "Gaius") as gaius:
        with pytest.raises(Refused):
            gaius.table("t1").act("count", n=1)
        with pytest.raises(NotFound), gaius.table("nowhere").follow():
            pass


def test_the_rest_of_the_calls(house):
    with client_for(house, "Livia") as livia:
        assert livia.game(livia.games()[0].game).title == "Counting"
        assert livia.keys()[0].id == "k1"
        livia.revoke_token(livia.new_token().id)
        assert livia.player("Livia").name == "Livia"
        assert livia.register("Nero").name == "Nero"
        table = livia.create_table("counting", 3)
        assert table.entry(1).seq == 1
        assert table.view(at=1)["status"] == "open"
        table.uninvite(table.invite().code)
        assert table.rise(0).seq == 3
        table.abandon()
        live = table.follow()
        live.open()
        live.close()


def test_closing_ends_the_thread_and_what_runs_there(house):
    house.table("Livia", "Gaius")
    before = threading.active_count()
    livia = client_for(house, "Livia")
    live = livia.table("t1").follow()
    updates = iter(live)
    next(updates)
    pages = livia.tables()
    next(pages, None)
    livia.close()
    livia.close()
    assert threading.active_count() == before
    with pytest.raises(RuntimeError, match="closed"):
        livia.games()
    live.close()
    updates.close()
