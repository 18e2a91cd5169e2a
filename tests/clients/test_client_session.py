"""The session without I/O: frames in, updates and messages out."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comitium_client import (
    Ack,
    ApiProblem,
    Key,
    LogForked,
    LogShorter,
    Receipt,
    ReceiptMismatch,
    Receipts,
    Session,
    Stale,
    Tampered,
    Unreadable,
    Update,
)
from comitium_client.asks import read_asks
from comitium_client.coding import JSON, MSGPACK, EntryFields, entry_of
from comitium_client.session import Answered, Broken, assign
from comitium_client.witness import Witness
from tests.clients.test_client_fakes import COUNT, SERVER, FakeTable, House, canonical, entry_fields, json_bytes

law = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # no law is about time


@pytest.fixture
def house() -> House:
    return House()


@pytest.fixture
def table(house) -> FakeTable:
    return house.table("Livia", "Gaius")


def session_for(house: House, table: FakeTable, **options: Any) -> Session:
    receipts = Receipts()
    receipts.pin(SERVER, msgspec.convert(house.signer.public, Key))
    return Session(Witness(table.name, receipts, SERVER), options.pop("coding", JSON), **options)


def opened(house: House, table: FakeTable, seat: int | None = 0) -> Session:
    session = session_for(house, table)
    session.receive(json_bytes(table.first(seat)))
    return session


def follow(session: Session, table: FakeTable, seat: int | None = 0) -> list[Any]:
    """What the session makes of all that the table has beyond it."""
    return [
        out for seq in range(session.now.seq + 1, table.seq + 1) for out in session.receive(frame(table, seq, seat))
    ]


def frame(table: FakeTable, seq: int, seat: int | None = 0, **change: Any) -> bytes:
    return json_bytes({**table.frame(seq, seat), **change})


def skip(session: Session, table: FakeTable, seat: int | None = 0, told: FakeTable | None = None) -> list[Any]:
    """The whole view comes instead of entries; then the log is read, a few entries at a time (of `told`, if it lies)."""
    told = told or table
    first = json_bytes(table.first(seat, resumed_from=session.now.seq))
    assert session.receive(first) == []
    with pytest.raises(RuntimeError, match="gap"):
        session.receive(first)
    outputs: list[Any] = []
    while session.gap is not None:
        page = [told.stored(seq, None) for seq in range(session.gap.after + 1, told.seq + 1)][:2]
        outputs += session.link(
            [entry_of(JSON.read(json_bytes(fields), JSON._stored(EntryFields))) for fields in page], told.seq
        )
    return outputs


def forked(house: House, table: FakeTable, at: int) -> FakeTable:
    """A table with the same log up to that entry, and as many others after it."""
    fork = FakeTable("t1", 2, "Livia", sit=True)
    fork.log, fork.past, fork.sinces = table.log[:at], table.past[:at], table.sinces[:at]
    for _ in range(table.seq - at):
        fork.act(1, {"type": "say", "text": "Never."})
    return fork


def kept(session: Session, house: House, table: FakeTable, seq: int) -> None:
    session._witness.keep(msgspec.convert(house.receipt(table, seq), Receipt))


def ack(house: House, table: FakeTable, number: int, at: int, **change: Any) -> bytes:
    return canonical({"id": number, **house._moved(table, at), **change})


# --- The view -----------------------------------------------------------------------------------------


def test_it_is_cold_then_live_then_over(house, table):
    session = session_for(house, table)
    assert (session.state, session.after) == ("cold", None)
    session.receive(json_bytes(table.first(0)))
    assert (session.state, session.after) == ("live", 3)
    for turn in range(4):
        table.act(turn % 2, {"type": "count", "n": 3})
    updates = follow(session, table)
    assert session.state == "over"
    assert [update.over for update in updates] == [False, False, False, True]


@pytest.mark.parametrize("seat", [0, 1, None])
def test_following_gives_the_same_as_asking(house, table, seat):
    session = opened(house, table, seat)
    for turn in range(4):
        table.act(1, {"type": "say", "text": "..."})
        table.act(turn % 2, {"type": "count", "n": 3})
        follow(session, table, seat)
        assert session.now.view == table.view(seat)
        assert session.now.asks == read_asks(table.asks(seat))
        assert session.now.to_act == tuple(table.to_act(table.seq))
        assert (session.now.seq, session.now.head) == (table.seq, table.head)


def test_an_update_is_what_was_known_then(house, table):
    session = opened(house, table)
    before = session.now
    table.act(0, {"type": "count", "n": 2})
    (after,) = follow(session, table)
    assert (before.view["game"]["total"], after.view["game"]["total"]) == (0, 2)
    assert after.changed["game"] == {"total": 2}
    assert after.entry.body.events == ({"type": "counted", "n": 2},)
    assert (before.must, after.must) == (before.asks[:1], ())


def test_at_the_start_the_whole_view_comes(house):
    table = house.tables["t1"] = FakeTable("t1", 2, "Livia", sit=True)
    session = opened(house, table)
    assert session.now.view["game"] is None
    table.sit("Gaius", None, None)
    sat, started = follow(session, table)
    assert sat.changed is not None
    assert started.changed is None
    assert started.view["game"]["cards"] == [7, None]
    assert [ask.type for ask in session.now.must] == ["count"]


def test_a_log_can_be_followed_from_its_first_entry(house, table):
    session = session_for(house, table, start=0)
    assert session.after == 0
    for seq in range(1, table.seq + 1):
        session.receive(frame(table, seq))
    assert session.now.view == table.view(0)


def test_a_view_in_between_takes_the_place_of_entries(house, table):
    """Too much was missed, or the reader has taken a seat and sees with other eyes."""
    session = opened(house, table, None)
    for _ in range(3):
        table.act(0, {"type": "say", "text": "..."})
    (update,) = skip(session, table, 1)
    assert (update.entry, update.changed, update.resumed_from) == (None, None, 3)
    assert session.now.view == table.view(1)
    table.act(0, {"type": "count", "n": 1})
    follow(session, table, 1)
    assert session.now.view == table.view(1)


inner = st.dictionaries(st.sampled_from("abc"), st.integers(0, 3))
values = st.none() | st.integers(0, 3) | inner | st.lists(inner, max_size=2)
games = st.none() | st.dictionaries(st.sampled_from("abc"), values)
views = st.fixed_dictionaries({"game": games}, optional=dict.fromkeys("xyz", values))


@law
@given(views, views)
def test_changes_are_assigned_and_never_merged(old, new):
    changed = {name: value for name, value in new.items() if name != "game"}
    if new["game"] is not None:
        changed["game"] = new["game"]
    kept = json.dumps(old)
    after = assign(old, changed)
    assert json.dumps(old) == kept
    assert {**old, **changed, "game": None} == {**after, "game": None}
    if isinstance(old["game"], dict) and new["game"] is not None:
        assert after["game"] == {**old["game"], **new["game"]}
    else:
        assert after["game"] == changed.get("game", old["game"])


def test_messagepack_gives_the_same(house, table):
    session = session_for(house, table, coding=MSGPACK)
    session.receive(msgspec.msgpack.encode(table.first(0)))
    table.act(0, {"type": "count", "n": 2})
    session.receive(msgspec.msgpack.encode(table.frame(table.seq, 0)))
    assert session.now.view == table.view(0)
    assert session.now.entry.raw == table.fields(table.seq, 0)["entry"]
    assert msgspec.msgpack.decode(session.propose({"type": "say"}, "k", 4).message)["key"] == "k"


# --- What is passed over ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    ["", "\n", b" ", '{"weather": "rain"}', '{"id": 99, "seq": 1}', '{"id": "x", "problem": {"code": "stale"}}'],
)
def test_signs_of_life_and_the_frames_of_tomorrow_are_passed_over(house, table, message):
    session = opened(house, table)
    assert session.receive(message) == []


def test_fields_of_tomorrow_are_ignored_or_kept_as_plain_values(house, table):
    session = session_for(house, table)
    first = table.first(0)
    first["view"]["omens"] = ["crow"]
    first["asks"] = [{**COUNT, "why": "because", "fields": {"n": {"prime": True}}}]
    (update,) = session.receive(json_bytes({**first, "omens": 3}))
    assert update.view["omens"] == ["crow"]
    assert update.asks[0].fields["n"].data == {"prime": True}


def test_an_entry_that_comes_twice_counts_once(house, table):
    session = opened(house, table)
    table.act(0, {"type": "count", "n": 2})
    assert len(session.receive(frame(table, 4))) == 1
    assert session.receive(frame(table, 4)) == []
    assert session.receive(frame(table, 3)) == []
    assert session.now.view == table.view(0)


@pytest.mark.parametrize("message", ["{", b"\xff", "[]", '{"seq": "x", "view": {}}', '{"seq": 4, "entry": 1}'])
def test_what_is_no_frame_is_unreadable(house, table, message):
    with pytest.raises(Unreadable):
        opened(house, table).receive(message)


def test_changes_before_any_view_are_unreadable(house, table):
    table.act(0, {"type": "count", "n": 2})
    with pytest.raises(Unreadable, match="before any view"):
        session_for(house, table, start=3).receive(frame(table, 4))


# --- Acting -------------------------------------------------------------------------------------------


def test_an_action_goes_out_with_id_key_and_if_match(house, table):
    session = opened(house, table)
    one = session.propose({"type": "count", "n": 2}, "k1", 3)
    two = session.propose({"type": "say", "text": "!"}, "k2", None)
    assert json.loads(one.message) == {"id": 1, "action": {"type": "count", "n": 2}, "key": "k1", "if_match": 3}
    assert json.loads(two.message) == {"id": 2, "action": {"type": "say", "text": "!"}, "key": "k2"}


def test_the_answer_comes_after_its_entry(house, table):
    session = opened(house, table)
    proposal = session.propose({"type": "count", "n": 2}, "k", 3)
    table.act(0, {"type": "count", "n": 2})
    table.act(1, {"type": "say", "text": "!"})
    follow(session, table)
    (answered,) = session.receive(ack(house, table, proposal.id, 4))
    assert answered.id == proposal.id
    assert isinstance(answered.outcome, Ack)
    assert answered.outcome.entry.body.action == {"type": "count", "n": 2}
    assert not answered.outcome.replayed
    assert session._witness.receipts == (answered.outcome.receipt,)
    assert session.opened() == []


def test_a_refusal_is_typed(house, table):
    session = opened(house, table)
    proposal = session.propose({"type": "count", "n": 2}, "k", 3)
    document = {
        "code": "stale",
        "status": 412,
        "expected": 5,
        "head": 6,
        "missed": "/x",
        "detail": "Your asks changed.",
    }
    (answered,) = session.receive(canonical({"id": proposal.id, "problem": document}))
    stale = answered.outcome
    assert isinstance(stale, Stale)
    assert (stale.expected, stale.head, stale.missed, stale.detail) == (5, 6, "/x", "Your asks changed.")
    assert session.opened() == []


def test_what_has_no_answer_is_sent_again_as_it_was(house, table):
    session = opened(house, table)
    one = session.propose({"type": "say", "text": "1"}, "k1", 3)
    two = session.propose({"type": "say", "text": "2"}, "k2", 3)
    three = session.propose({"type": "say", "text": "3"}, "k3", 3)
    session.forget(two)
    assert session.opened() == [one.message, three.message]
    table.act(0, {"type": "say", "text": "1"})
    follow(session, table)
    (answered,) = session.receive(ack(house, table, one.id, 4, replayed=True))
    assert answered.outcome.replayed
    assert session.opened() == [three.message]
    session.repeat(one)
    assert one.message in session.opened()


def test_the_answer_to_a_forgotten_action_still_leaves_its_receipt(house, table):
    session = opened(house, table)
    session.forget(session.propose({"type": "say", "text": "1"}, "k1", 3))
    table.act(0, {"type": "say", "text": "1"})
    follow(session, table)
    assert session.receive(ack(house, table, 1, 4)) == []
    assert [receipt.seq for receipt in session._witness.receipts] == [4]


def test_a_problem_without_id_is_the_connections(house, table):
    (broken,) = opened(house, table).receive('{"problem": {"code": "unavailable", "status": 503, "seq": 3}}')
    assert isinstance(broken, Broken)
    assert broken.problem.transient
    assert broken.problem.extensions == {"seq": 3}


# --- What is not believed -----------------------------------------------------------------------------


def test_a_false_entry_is_found_out(house, table):
    session = opened(house, table)
    table.act(0, {"type": "count", "n": 2})
    stored = table.fields(4, 0)["entry"]
    with pytest.raises(Tampered):
        session.receive(frame(table, 4, entry=stored.replace(b'"n":2', b'"n":3')))


def test_a_left_out_entry_is_found_out(house, table):
    session = opened(house, table)
    table.act(0, {"type": "count", "n": 2})
    table.act(1, {"type": "count", "n": 2})
    with pytest.raises(Tampered, match="Entry 5 came after entry 3"):
        session.receive(frame(table, 5))


def test_another_past_is_found_out(house, table):
    session = opened(house, table)
    other = House().table("Livia", "Nero")
    other.sit("Nero", 1, None)
    with pytest.raises(Tampered):
        session.receive(frame(other, 4))


def test_another_entry_in_a_known_place_is_a_fork(house, table):
    session = opened(house, table)
    other = House().table("Nero", "Gaius")
    table.act(0, {"type": "count", "n": 2})
    other.act(0, {"type": "count", "n": 1})
    follow(session, table)
    with pytest.raises(Tampered):
        session.receive(frame(other, 4))


def test_a_lost_log_is_a_fork_with_the_receipts(house, table):
    session = opened(house, table)
    table.act(0, {"type": "count", "n": 2})
    follow(session, table)
    session.receive(ack(house, table, 1, 4))
    with pytest.raises(LogForked, match="It is lost") as found:
        session.receive('{"problem": {"code": "log_forked", "status": 412, "detail": "It is lost."}}')
    assert [receipt.seq for receipt in found.value.receipts] == [4]
    assert isinstance(found.value.__cause__, ApiProblem)


def test_a_view_from_before_a_receipt_is_a_loss(house, table):
    short = json_bytes(table.first(0))
    session = opened(house, table)
    table.act(0, {"type": "count", "n": 2})
    session._witness.keep(msgspec.convert(house.receipt(table, 4), Receipt))
    session.opened()
    with pytest.raises(LogShorter):
        session.receive(short)


def test_a_view_from_before_the_last_update_is_a_loss(house, table):
    short = json_bytes(table.first(0))
    session = opened(house, table)
    table.act(0, {"type": "count", "n": 2})
    follow(session, table)
    with pytest.raises(LogShorter):
        session.receive(short)


@pytest.mark.parametrize("change", [{"seq": 3}, {"head": "00" * 32}])
def test_a_receipt_for_something_else_is_not_taken(house, table, change):
    session = opened(house, table)
    session.propose({"type": "count", "n": 2}, "k", 3)
    table.act(0, {"type": "count", "n": 2})
    follow(session, table)
    with pytest.raises(ReceiptMismatch):
        session.receive(ack(house, table, 1, 4, **change))


def test_a_session_can_start_from_a_view_that_was_read_elsewhere(house, table):
    table.act(0, {"type": "count", "n": 2})
    view = table.view(0, 3)
    base = Update(seq=3, head=view["head"], view=view, asks=(), since=0, to_act=(0,))
    session = session_for(house, table, base=base)
    assert session.after == 3
    follow(session, table)
    assert session.now.view == table.view(0)
    assert isinstance(session.now, Update)
    assert not isinstance(session.now, Answered)


# --- A view that skips entries ------------------------------------------------------------------------


def spoken(table: FakeTable, times: int) -> None:
    for _ in range(times):
        table.act(0, {"type": "say", "text": "..."})


def test_a_fork_behind_a_gap_is_found_out(house, table):
    """The entries before the head that is held are rewritten too: the log after it does not lead from there."""
    spoken(table, 3)
    session = opened(house, table)
    kept(session, house, table, 6)
    spoken(table, 4)
    with pytest.raises(Tampered, match="does not lead from the head of entry 6") as found:
        skip(session, forked(house, table, 4))
    assert [receipt.seq for receipt in found.value.receipts] == [6]
    assert session.now.seq == 6


def test_the_log_must_lead_to_the_view_that_came(house, table):
    session = opened(house, table)
    spoken(table, 5)
    with pytest.raises(LogForked):
        skip(session, forked(house, table, 3), told=table)
    assert session.now.seq == 3


def test_the_log_must_not_end_before_the_view(house, table):
    session = opened(house, table)
    spoken(table, 3)
    first = json_bytes(table.first(0))
    session.receive(first)
    with pytest.raises(LogShorter):
        session.link([], 5)
    with pytest.raises(LogShorter):
        session.link([], 6)
    assert session.opened() == []
    assert session.gap is None
    with pytest.raises(RuntimeError, match="no gap"):
        session.link([], 6)


def test_a_hole_in_the_log_is_found_out(house, table):
    session = opened(house, table)
    spoken(table, 3)
    session.receive(json_bytes(table.first(0)))
    fields = JSON.read(json_bytes(table.stored(5, 0)), JSON._stored(EntryFields))
    with pytest.raises(Tampered, match="Entry 5 came where entry 4 should be"):
        session.link([entry_of(fields)], 6)


def test_receipts_between_are_compared_on_the_way(house, table):
    session = opened(house, table)
    spoken(table, 4)
    fork = forked(house, table, 3)
    kept(session, house, table, 5)
    with pytest.raises(LogForked, match="after entry 5") as found:
        skip(session, fork)
    assert [receipt.seq for receipt in found.value.receipts] == [5]


def test_a_view_of_the_same_entry_must_have_its_head(house, table):
    session = opened(house, table)
    (update,) = session.receive(json_bytes(table.first(1)))
    assert update.view["seat"] == 1
    session._witness._heads.clear()
    false = {"head": "11" * 32}
    with pytest.raises(LogForked):
        session.receive(json_bytes({**table.first(0), **false, "view": {**table.view(0), **false}}))


@pytest.mark.parametrize("honest", [True, False])
def test_a_new_session_links_its_first_view_to_the_last_receipt_before_it(house, table, honest):
    spoken(table, 5)
    session = session_for(house, table)
    for seq in (4, 6):
        kept(session, house, table, seq)
    told = table if honest else forked(house, table, 5)
    assert session.receive(json_bytes(told.first(0))) == []
    assert (session.state, session.gap.after) == ("cold", 6)
    page = [entry_of(JSON.read(json_bytes(told.fields(seq, 0)), JSON._stored(EntryFields))) for seq in (7, 8)]
    if honest:
        (update,) = session.link(page, 8)
        assert (update.seq, session.state) == (8, "live")
    else:
        with pytest.raises(Tampered, match="does not lead from the head of entry 6"):
            session.link(page, 8)


def test_a_new_session_whose_first_view_is_at_a_receipt_needs_no_log(house, table):
    session = session_for(house, table)
    kept(session, house, table, 3)
    with pytest.raises(LogForked):
        session.receive(json_bytes(forked(house, table, 2).first(0)))
    assert len(session.receive(json_bytes(table.first(0)))) == 1


def test_following_from_the_first_entry_leaves_none_out(house, table):
    session = session_for(house, table, start=0)
    assert session.receive(json_bytes(table.first(0))) == []
    assert session.gap.after == 0
    session = session_for(house, table, start=2)
    spoken(table, 1)
    with pytest.raises(Tampered, match="Entry 4 came after entry 2"):
        session.receive(frame(table, 4, view=table.view(0)))


# --- The version that is owed, and the place that a view names ----------------------------------------


def dealt(table: FakeTable) -> None:
    """An entry that each seat knows differently."""
    events = [{"type": "dealt", "cards": [1, 2]}]
    table.append("server", {"type": "deal"}, events, dict(table.now), lambda seat: [{"type": "dealt", "to": seat}])


@pytest.mark.parametrize("seat", [0, 1, None])
@pytest.mark.parametrize("version", ["full", "public", "0", "1"])
def test_each_reader_is_owed_one_version(house, table, seat, version):
    session = opened(house, table, seat)
    dealt(table)
    message = json_bytes({**table.frame(4, seat), **table.log[3][version]})
    if version == ("public" if seat is None else str(seat)):
        assert len(session.receive(message)) == 1
    else:
        with pytest.raises(Tampered, match="is owed"):
            session.receive(message)


@pytest.mark.parametrize("version", ["full", "public"])
def test_a_seat_without_a_version_of_its_own_is_owed_the_public_one(house, table, version):
    session = opened(house, table)
    spoken(table, 1)
    body = {"table": "t1", "seq": 4, "at": 1, "by": 1, "action": {"type": "say"}, "events": []}
    before = bytes.fromhex(session.now.head)
    sealed = entry_fields("t1", 4, before, {"full": {**body, "draw": 1}, "public": body, "1": body}, b"s")
    message = json_bytes({**table.frame(4, 0), **sealed[version], "changed": {}})
    if version == "public":
        assert len(session.receive(message)) == 1
    else:
        with pytest.raises(Tampered, match="is owed"):
            session.receive(message)


def test_with_a_new_seat_comes_its_version(house, table):
    session = opened(house, table, None)
    dealt(table)
    message = {**table.frame(4, 1), "view": table.view(1)}
    with pytest.raises(Tampered, match="is owed"):
        session.receive(json_bytes({**message, **table.log[3]["public"]}))
    session = session_for(house, table, start=3)
    session.receive(json_bytes(message))
    assert session.now.view["seat"] == 1


def test_the_first_entry_of_a_session_comes_in_its_version_too(house, table):
    session = session_for(house, table, start=2)
    with pytest.raises(Tampered, match="is owed"):
        session.receive(json_bytes({**table.frame(3, 0), **table.log[2]["public"]}))


@pytest.mark.parametrize("change", [{"seq": 99}, {"head": "00" * 32}, {"table": "t2"}])
@pytest.mark.parametrize("kind", ["first", "entry", "changes", "skipping"])
def test_a_view_that_contradicts_its_frame_is_found_out(house, table, change, kind):
    session = session_for(house, table) if kind == "first" else opened(house, table)
    spoken(table, 1)
    false = {**table.view(0), **change}
    frames = {
        "first": {**table.first(0), "view": false},
        "entry": {**table.frame(4, 0), "view": false},
        "changes": {**table.frame(4, 0), "changed": change},
        "skipping": {**table.first(0), "view": false},
    }
    with pytest.raises(Tampered, match=f"names another {next(iter(change))}"):
        session.receive(json_bytes(frames[kind]))
