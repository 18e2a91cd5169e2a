"""Old forms: what was written in them is read, folded, redacted, verified and imported as if it were of today; what is
stored stays as it is. The log was written by `sample_lots_first`, whose classes `sample_lots_1` does not have any more.
"""

import ast
import re
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest

from events import archive
from events.chain import ZERO, check_entry, read_as
from events.entry import FULL
from games import GAMES, Catalogue
from games.table import upcast
from games.table.rules import Rules
from games.table.state import fold
from projections import codec, upcasting
from projections.lobby import glance
from projections.position import advance
from projections.story import tell
from projections.upcasting import older, upcasters
from projections.verification import Auditor, verify_archive, versions_in
from tests.games import sample_lots, sample_lots_1, sample_lots_first
from tests.laws.cases import EVERY
from tests.laws.golden import LOGS, OLDER, read, sealed, state_hash
from tests.projections.logs import KEY, KEYS, Log, played, resealed, statuses, with_bytes

ROOT = Path(__file__).parents[2]
GOLDEN = OLDER / "lots-1-3.jsonl"

ALL_PASSED = dict.fromkeys(("chain", "versions", "adjudication", "draws", "signature"), "passed")


@cache
def catalogue() -> Catalogue:
    return Catalogue((sample_lots_1, sample_lots))


def today() -> Rules:
    """Version 1 as it is shipped today."""
    return catalogue().rules("lots", 1)


def lots(seed: int = 0, game=sample_lots_first) -> Log:
    return played(game, 3, seed)


def found(log: Log | bytes, games=None):
    data = log if isinstance(log, bytes) else log.archive()
    return verify_archive([data], games or catalogue(), keys=KEYS)


def checks(verification):
    return {name: status for name, status in statuses(verification).items() if name != "receipts"}


# --- The golden log -----------------------------------------------------------------------------------


def golden_entries():
    """The entries of the golden log, sealed again: what was hidden is found in the old form."""
    setup, lines = read(GOLDEN)
    head = ZERO
    for seq, line in enumerate(lines, 1):
        entry = sealed(today(), setup.seats, seq, head, line)
        head = entry.head
        yield entry, line


def test_a_log_of_an_old_form_is_read_to_the_states_that_were_recorded_when_it_was_written():
    table = None
    _, lines = read(GOLDEN)
    for seq, line in enumerate(lines, 1):
        table = fold(today(), table, codec.decode(today(), seq, bytes(line.entry)))
        assert state_hash(table) == line.state
    assert table.over


def test_a_log_of_an_old_form_is_redacted_to_the_heads_that_were_recorded_when_it_was_written():
    hidden = 0
    for entry, line in golden_entries():
        assert entry.head.hex() == line.head
        assert entry.versions[FULL] == bytes(line.entry)
        hidden += len(entry.versions) > 1
    assert hidden > 6


def test_a_log_of_an_old_form_is_decided_again_to_what_stands_there():
    auditor = Auditor(catalogue(), "t1")
    for entry, _ in golden_entries():
        auditor.take(entry)
    result = auditor.result()
    assert result.ok
    assert {each.name: each.checked for each in result.checks} == {
        "chain": 12, "versions": 12, "adjudication": 12, "draws": 1, "signature": 0, "receipts": 0,
    }  # fmt: skip


def test_the_old_form_is_none_that_todays_classes_could_read():
    bare = Catalogue((without_upcasters(),)).rules("lots", 1)
    _, lines = read(GOLDEN)
    for seq, line in enumerate(lines, 1):
        is_old = codec.today(today(), seq, bytes(line.entry)) is not None
        if is_old:
            with pytest.raises(codec.Unreadable):
                codec.decode_whole(bare, seq, bytes(line.entry))
        assert is_old == (re.search(rb'"(lot|first|winner)":', bytes(line.entry)) is not None)


def without_upcasters(**parts):
    """Version 1 as it is shipped today, or with other parts."""
    own = {name: getattr(sample_lots_1, name) for name in sample_lots_1.__all__ if not name.startswith("upcast")}
    return SimpleNamespace(**{**own, "__name__": sample_lots_1.__name__, **parts})


# --- Verification -------------------------------------------------------------------------------------


SEEDS = (*range(8), 25, 45, 68)
"""Games with all that can be at a table; in the last ones entries of an old form are struck."""


def test_the_games_have_disputes_that_name_what_was_learned_and_strikes():
    stored = b"".join(entry.versions[FULL] for seed in SEEDS for entry in lots(seed).entries)
    assert b'"learned":[{' in stored
    assert stored.count(b'"type":"struck"') >= 3


@pytest.mark.parametrize("seed", SEEDS)
def test_an_archive_of_an_old_form_verifies_in_every_check(seed):
    result = found(lots(seed))
    assert checks(result) == ALL_PASSED
    assert result.ok


def test_without_upcasters_the_first_old_entry_is_what_is_wrong():
    result = found(lots(), Catalogue((without_upcasters(),)))
    first = next(entry.seq for entry in lots().entries if b"lots_given" in entry.versions[FULL])
    assert checks(result)["chain"] == "passed"
    assert checks(result)["adjudication"] == ("failed", "events_differ")
    assert checks(result)["versions"] == ("failed", "unreadable")
    assert result.first.seq == first


def test_rules_that_are_not_shipped_are_said_and_the_rest_is_checked():
    result = found(lots(), Catalogue((sample_lots,)))
    told = checks(result)
    assert (told["chain"], told["signature"]) == ("passed", "passed")
    assert {told[name] for name in ("versions", "adjudication", "draws")} == {("not_checked", "rules_not_shipped")}
    assert result.ok
    assert result.check("chain").checked == len(lots().entries)


def test_an_archive_by_other_rules_than_it_says_is_not_decided_to_the_same():
    other = without_upcasters(
        **{name: getattr(sample_lots_1, name) for name in ("upcast_events", "upcast_actions")},
        decide=sample_lots.decide,
    )
    assert checks(found(lots(), Catalogue((other,))))["adjudication"] == ("failed", "events_differ")


def old_entry(kind: bytes, log: Log | None = None) -> int:
    return next(entry.seq for entry in (log or lots()).entries if b'"type":"' + kind + b'"' in entry.versions[FULL])


def put(**fields):
    """Changes the first event of the game in an entry."""

    def change(plain):
        event = next(each for each in plain["events"] if each["type"] in ("lots_given", "laid", "round_shown"))
        event.update(fields)

    return change


@pytest.mark.parametrize(
    ("kind", "fields"),
    [(b"lots_given", {"first": 99}), (b"laid", {"lot": 99}), (b"laid", {"seat": 9}), (b"round_shown", {"lot": 9})],
)
def test_a_false_fact_in_an_old_form_is_found(kind, fields):
    seq = old_entry(kind)
    result = found(with_bytes(lots(), seq, put(**fields)))
    assert (result.first.check, result.first.seq, result.first.reason) == ("adjudication", seq, "events_differ")


def test_an_unknown_field_in_an_old_form_is_found_and_so_is_a_default_that_was_written_out():
    for change in (put(note=None), lambda plain: plain["events"][-1].update(again=[])):
        seq = old_entry(b"laid")
        result = found(with_bytes(lots(), seq, change))
        assert (result.first.check, result.first.seq) == ("adjudication", seq)


@pytest.mark.parametrize("version", ["public", "0", "2"])
def test_a_version_of_an_old_form_that_hides_or_tells_something_else_is_found(version):
    seq = old_entry(b"lots_given")
    for fields in ({"first": 99}, {"seat": 2}, {"first": None, "second": 1}):
        result = found(with_bytes(lots(), seq, put(**fields), version))
        assert (result.first.check, result.first.seq, result.first.reason) == ("versions", seq, "version_differs")


def test_a_version_of_an_old_form_too_many_or_too_few_is_found():
    seq = old_entry(b"laid")
    entry, by = lots().entries[seq - 1], lots().bodies[seq - 1].by
    more = {**entry.versions, str((by + 1) % 3): entry.versions[FULL]}
    fewer = {FULL: entry.versions[FULL]}
    swapped = {FULL: entry.versions[FULL], "public": entry.versions[FULL], str(by): entry.versions["public"]}
    lacking = {name: data for name, data in entry.versions.items() if name != str(by)}
    unread = {**entry.versions, "7": entry.versions["public"]}
    for versions_ in (more, fewer, swapped, lacking, unread):
        auditor = Auditor(catalogue(), lots().bodies[0].table)
        for each in resealed(lots(), {seq: versions_}).entries:
            auditor.take(each)
        result = auditor.result()
        assert (result.first.check, result.first.seq) == ("versions", seq)


def test_a_false_version_in_a_store_is_found_as_in_an_archive():
    seq = old_entry(b"lots_given")
    log = with_bytes(lots(), seq, put(first=99), "public")
    auditor = Auditor(catalogue(), lots().bodies[0].table)
    for entry in log.entries:
        auditor.take(entry)
    assert (auditor.result().first.check, auditor.result().first.seq) == ("versions", seq)


# --- Reading ------------------------------------------------------------------------------------------


def test_all_readers_know_the_same_of_an_old_log_as_those_of_the_rules_that_wrote_it():
    log = lots(3)
    then, now = None, None
    for entry in log.entries:
        old = codec.decode_versions(log.rules, entry.seq, entry.versions)
        new = codec.decode_versions(today(), entry.seq, entry.versions)
        then, now = advance(log.rules, then, old, entry.head), advance(today(), now, new, entry.head)
        assert [msgspec.to_builtins(sight) for sight in now.sights] == [
            msgspec.to_builtins(sight) for sight in then.sights
        ]
        assert (now.windows, now.since, now.table.record) == (then.windows, then.since, then.table.record)


def test_the_story_of_an_old_log_tells_its_actions_as_of_today():
    bodies = [codec.decode(today(), entry.seq, entry.versions[FULL]) for entry in lots().entries]
    kinds = {passage.body.action["type"] for passage in tell(today(), "all", bodies).passages}
    assert "lay" in kinds
    assert "drop" not in kinds


def test_an_unknown_event_or_field_stops_the_reader_at_just_that_entry():
    seq = old_entry(b"laid")
    for change in (put(type="kraken"), put(depth=3), put(lot="three")):
        log = with_bytes(lots(), seq, change)
        for entry in log.entries[: seq - 1]:
            codec.decode(today(), entry.seq, entry.versions[FULL])
        with pytest.raises(codec.Unreadable) as stopped:
            codec.decode(today(), seq, log.entries[seq - 1].versions[FULL])
        assert stopped.value.seq == seq


def test_an_upcaster_that_fails_or_makes_no_event_is_an_unreadable_entry_and_says_nothing_of_it():
    def fails(event):
        raise KeyError(event["lot"])

    def many(event):
        return [event, event]

    for caster in (fails, many):
        game = without_upcasters(upcast_events={"laid": caster})
        entry = lots().entries[old_entry(b"laid") - 1]
        with pytest.raises(codec.Unreadable) as stopped:
            codec.decode(Rules(game), entry.seq, entry.versions[FULL])
        assert "upcaster of `laid`" in stopped.value.reason
        assert str(msgspec.json.decode(entry.versions[FULL])["events"][0]["lot"]) not in stopped.value.reason


@pytest.mark.parametrize(
    "fields",
    [
        {"events": [{"type": []}]}, {"events": [{"type": {"type": "laid"}}]}, {"events": [3, {"type": "laid"}]},
        {"events": [{"type": "laid"}]}, {"events": {"type": "laid"}}, {"events": [{"type": "laid", "lot": {}}]},
        {"events": None, "action": {"type": "drop"}},
    ],
)  # fmt: skip
def test_what_is_no_event_at_all_is_unreadable_and_nothing_worse(fields):
    plain = {"table": "t", "seq": 5, "at": 1, "by": 0, "action": {"type": "drop", "lot": 1}, **fields}
    data = msgspec.json.encode(plain, order="sorted")
    with pytest.raises(codec.Unreadable):
        codec.decode(today(), 5, data)
    with pytest.raises(codec.Unreadable):
        codec.today(today(), 5, msgspec.json.encode({**plain, "by": [], "action": {"type": "drop"}}, order="sorted"))


@pytest.mark.parametrize("action", [3, None, {"type": []}, {"type": "resume", "events": [3, {"type": "laid"}, None]}])
def test_an_action_that_is_none_is_unreadable_and_nothing_worse(action):
    plain = {
        "table": "t",
        "seq": 5,
        "at": 1,
        "by": 0,
        "action": action,
        "events": [{"type": "laid", "seat": 0, "lot": 1}],
    }
    data = msgspec.json.encode(plain, order="sorted")
    assert len(codec.decode(today(), 5, data).events) == 1  # the action stays plain
    codec.action_in(data, today())
    with pytest.raises(codec.Unreadable):
        codec.decode_whole(today(), 5, data)


def test_an_upcaster_cannot_change_what_is_stored():
    def spoils(event):
        event["lots"].clear()
        event["winner"] = 0
        return event

    known = casters(round_shown=spoils)
    event = {"type": "round_shown", "lots": [1, 2], "winner": 1}
    known.event(event)
    assert event == {"type": "round_shown", "lots": [1, 2], "winner": 1}


def test_a_text_that_looks_like_an_old_form_is_a_text():
    log = lots()
    seq = next(body.seq for body in log.bodies if any(type(event).__name__ == "Said" for event in body.events))
    text = '","type":"laid","lot":3,"type":"drop'
    changed = with_bytes(log, seq, lambda plain: plain["events"][0].update(text=text))
    body = codec.decode(today(), seq, changed.entries[seq - 1].versions[FULL])
    assert body.events[0].text == text
    assert not upcasters(today()).concern(changed.entries[seq - 1].versions[FULL])


@pytest.mark.parametrize("game", [*EVERY, sample_lots_1], ids=lambda game: f"{game.name}-{game.version}")
def test_what_has_todays_form_is_left_as_it_is(game):
    for entry in played(game, max(game.seats), 5).entries:
        for data in entry.versions.values():
            assert codec.today(Rules(game), entry.seq, data) is None


def test_a_log_may_hold_both_forms():
    """It is begun by the one and played on by the other."""
    old, rules = lots(1), today()
    table = None
    for entry in old.entries[: old_entry(b"laid", old)]:
        table = fold(rules, table, codec.decode(rules, entry.seq, entry.versions[FULL]))
    new = lots(1, sample_lots_1)
    for entry in new.entries:
        assert codec.today(rules, entry.seq, entry.versions[FULL]) is None
    assert checks(found(new)) == ALL_PASSED


# --- Without rules, and elsewhere ---------------------------------------------------------------------


def test_old_forms_of_the_tables_own_events_are_told_to_every_reader(monkeypatch):
    def older_form(plain):
        for event in plain["events"]:
            if event["type"] == "asked":
                event["straws"] = event.pop("seats")
                event["type"] = "waited"

    def caster(event):
        return {**{name: value for name, value in event.items() if name != "straws"},
                "type": "asked", "seats": event["straws"]}  # fmt: skip

    monkeypatch.setattr(upcast, "EVENTS", {"waited": caster})
    upcasting.upcasters.cache_clear()
    codec._reader.cache_clear()
    try:
        seq = old_entry(b"asked")
        log = with_bytes(lots(), seq, older_form)
        table = expected = None
        for entry, other in zip(log.entries[:seq], lots().entries[:seq], strict=True):
            table, expected = (
                glance(table, entry.seq, entry.versions[FULL]),
                glance(expected, other.seq, other.versions[FULL]),
            )
        assert table == expected
        entry = log.entries[seq - 1]
        body = codec.decode(log.rules, seq, entry.versions[FULL])
        assert body == codec.decode(log.rules, seq, lots().entries[seq - 1].versions[FULL])
    finally:
        upcasting.upcasters.cache_clear()
        codec._reader.cache_clear()


def test_the_versions_of_an_old_entry_are_found_from_its_archive_as_they_were():
    log = lots(2)
    _, lines = archive.read([log.archive()])
    for line, entry in zip(lines, log.entries, strict=True):
        assert versions_in(today(), line, 3) == entry.versions


def test_what_readers_are_given_are_the_stored_bytes():
    for entry in lots().entries:
        check_entry(entry, None)
        for audience in (None, 0, 1, 2):
            assert read_as(entry, audience).entry in entry.versions.values()


# --- What was hidden ----------------------------------------------------------------------------------


def casters(**own):
    game = without_upcasters(upcast_events=own)
    return upcasters(Rules(game))


def told(data, full, wanted):
    return [msgspec.json.decode(each)["events"][0] for each in older(data, body(full), body(wanted))]


def body(event):
    return {"action": {"type": "start"}, "events": [event]}


def test_of_what_may_have_been_hidden_the_least_comes_first():
    known = casters(lots_given=sample_lots_1.upcast_events["lots_given"])
    full = {"type": "lots_given", "seat": 1, "first": 4, "second": 6}
    shown = {"type": "dealt", "seat": 1, "lots": [4, 6]}
    assert told(known, full, shown) == [full]
    hidden = told(known, full, {**shown, "lots": None})
    assert hidden[0] == {**full, "first": None, "second": None}
    assert {"type": "lots_given", "seat": 1, "first": None} in hidden
    assert told(known, full, {**shown, "lots": [4, 7]}) == []
    assert told(known, full, {**shown, "seat": 2}) == []


def test_an_event_of_today_in_an_old_entry_is_hidden_as_today():
    known = casters(lots_given=sample_lots_1.upcast_events["lots_given"])
    full = {"type": "laid", "seat": 1, "number": 4}
    assert told(known, full, {**full, "number": None}) == [{**full, "number": None}]


def test_among_many_events_of_an_entry_what_is_left_out_in_one_is_left_out_in_all():
    known = casters(lots_given=sample_lots_1.upcast_events["lots_given"])
    full = [{"type": "lots_given", "seat": seat, "first": seat, "second": seat + 30} for seat in range(30)]
    shown = [{"type": "dealt", "seat": seat, "lots": [seat, seat + 30] if seat == 3 else None} for seat in range(30)]
    left = [event if event["seat"] == 3 else {**event, "first": None} for event in full]
    for event in left:
        if event["seat"] != 3:
            del event["second"]
    start = {"action": {"type": "start"}}
    made = [
        msgspec.json.decode(each)["events"]
        for each in older(known, {**start, "events": full}, {**start, "events": shown})
    ]
    assert left in made[:4]


def test_an_event_with_many_fields_is_tried_only_so_often():
    known = casters(laid=lambda event: {"type": "laid", "seat": event["seat"], "number": None})
    full = {"type": "laid", "seat": 1, **{f"f{number}": number for number in range(30)}}
    assert told(known, full, {"type": "laid", "seat": 2, "number": None}) == []


# --- One read path ------------------------------------------------------------------------------------

READING = re.compile(r"Decoder\(.*\b(Body|Event|AnyAction|_Told|_Acted)\b|\.(any_actions)\b|decode\(.*type=Body")

ELSEWHERE = {
    "games/table/rules.py": "makes the decoders, and decodes nothing",
    "projections/upcasting.py": "the codec's own: single events and actions of an old form",
    "server/commands.py": "actions as they are sent, not as they are stored",
}
"""What else holds the rules' decoders, and why."""


def reads_bodies(file):
    tree = ast.parse(file.read_text("utf-8"))
    parts = [ast.unparse(node) for node in ast.walk(tree) if isinstance(node, ast.Call | ast.Attribute)]
    return any(READING.search(part) for part in parts)


def test_stored_bodies_are_read_by_the_codec_alone():
    files = [ROOT / name for name in ("cli.py", "records.py", "administration.py")]
    for room in ("games", "events", "projections", "server"):
        files += sorted((ROOT / room).rglob("*.py"))
    reading = {str(file.relative_to(ROOT)) for file in files if reads_bodies(file)}
    assert reading - ELSEWHERE.keys() == {"projections/codec.py"}


def test_another_reader_would_be_noticed(tmp_path):
    for line in (
        "bodies = msgspec.json.Decoder(Body[dict[str, Any]])",
        "body = msgspec.json.decode(data, type=Body[Any])",
        "action = rules.any_actions.decode(raw)",
        "events = msgspec.json.Decoder(tuple[rules.Event, ...]).decode(data)",
    ):
        file = tmp_path / "reader.py"
        file.write_text(line)
        assert reads_bodies(file), line


def test_no_game_of_the_house_has_an_old_form_that_no_golden_log_shows():
    """Whoever adds an upcaster has a log to try it on: one that was written before."""
    for game in GAMES:
        names = {*getattr(game, "upcast_events", {}), *getattr(game, "upcast_actions", {})}
        files = [file for folder in (LOGS, OLDER) for file in folder.glob(f"{game.name}-{game.version}-*.jsonl")]
        logs = b"".join(file.read_bytes() for file in files)
        assert {name for name in names if f'"type":"{name}"'.encode() not in logs} == set()


def test_the_key_of_the_tests_closes_the_archives():
    assert found(lots()).check("signature").checked == 1
    assert KEY.id in KEYS
