"""Asks: read, checked, and filled in by chance."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from comitium_client import Ask, Asks, Between, Match, OneOf, OtherDomain, SomeOf, Text, random_action
from comitium_client.asks import contains, read_ask, read_asks

law = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # no law is about time

PLACE = {
    "type": "place",
    "must": True,
    "fields": {"counter": {"one_of": ["verdict", "extra"]}, "pan": {"one_of": ["guilty", "innocent"]}},
}
WINDOWS = [{"id": "w1", "kind": "plea", "deeds": [PLACE]}, {"id": "w2", "kind": "vote", "deeds": []}]


def test_asks_are_read_as_they_stand_on_the_wire():
    offer = {
        "type": "offer",
        "must": False,
        "fields": {
            "amount": {"min": 1, "max": 17},
            "cards": {"some_of": [1, 2, 3], "min": 2, "max": 2},
            "bag": {"some_of": [1, 2, 3], "min": 0, "max": 9, "repeats": True},
            "words": {"text": 500},
            "does": {"match": "w1"},
            "never": {"match": "w1", "or_null": True},
            "who": {"one_of": [None, True, 1, "1"]},
        },
    }
    assert read_asks([PLACE, offer, {"type": "pass"}]) == (
        Ask("place", True, {"counter": OneOf(("verdict", "extra")), "pan": OneOf(("guilty", "innocent"))}),
        Ask(
            "offer",
            False,
            {
                "amount": Between(1, 17),
                "cards": SomeOf((1, 2, 3), 2, 2),
                "bag": SomeOf((1, 2, 3), 0, 9, True),
                "words": Text(500),
                "does": Match("w1"),
                "never": Match("w1", True),
                "who": OneOf((None, True, 1, "1")),
            },
        ),
        Ask("pass"),
    )


@pytest.mark.parametrize("data", [{"prime": True}, {"one_of": 3}, {"min": 1}, {"text": None}])
def test_a_domain_of_tomorrow_is_kept_as_it_is(data):
    ask = read_ask({"type": "x", "fields": {"n": data}})
    assert ask.fields["n"] == OtherDomain(data)
    assert not ask.allows({"type": "x", "n": 1})
    assert random_action([ask], random.Random(1)) is None


def test_asks_know_what_the_table_waits_for():
    say, place = Ask("say", False), Ask("place")
    assert Asks(7, 5, (say, place)).must == (place,)


@pytest.mark.parametrize(
    ("domain", "members", "others"),
    [
        (OneOf((1, "a", None)), [1, "a", None], [True, 1.0, "1", 2]),
        (OneOf((True,)), [True], [1]),
        (Between(2, 4), [2, 3, 4], [1, 5, 3.0, True, "3", None]),
        (Between(0, 1), [0, 1], [True, False]),
        (SomeOf((1, 2, 3), 1, 2), [[1], [3, 1]], [[], [1, 1], [1, 2, 3], [4], 1, "1", None, [True]]),
        (SomeOf((1, 2), 2, 3, repeats=True), [[1, 1], [2, 1, 2]], [[1], [1, 1, 1, 1], [3, 3]]),
        (SomeOf((), 0, 0), [[]], [[1]]),
        (Text(3), ["a", " a ", "abc"], ["", "   ", "abcd", 3, None]),
        (
            Match("w1"),
            [{"type": "place"}, {"type": "place", "pan": "guilty"}],
            [
                None,
                {},
                {"pan": "guilty"},
                {"type": "place", "pan": "left"},
                {"type": "place", "hat": 1},
                {"type": "x"},
                1,
            ],
        ),
        (Match("w1", or_null=True), [None, {"type": "place", "counter": "extra"}], [{"type": "x"}]),
        (Match("w2", or_null=True), [None], [{"type": "place"}]),
        (Match("w3"), [], [None, {"type": "place"}]),
    ],
)
def test_membership(domain, members, others):
    assert all(contains(domain, member, WINDOWS) for member in members)
    assert not any(contains(domain, other, WINDOWS) for other in others)


def test_an_action_has_exactly_the_fields_of_its_ask():
    ask = read_ask(PLACE)
    whole = {"type": "place", "counter": "extra", "pan": "guilty"}
    assert ask.allows(whole)
    assert not ask.allows({**whole, "hat": 1})
    assert not ask.allows({**whole, "type": "say"})
    assert not ask.allows({"type": "place", "counter": "extra"})


# --- By chance ----------------------------------------------------------------------------------------

scalars = st.none() | st.booleans() | st.integers(-3, 3) | st.text(max_size=3)
some = st.lists(scalars, max_size=4, unique_by=repr).map(tuple)
bounds = st.tuples(st.integers(-5, 5), st.integers(-5, 5))
sizes = st.tuples(st.integers(0, 3), st.integers(0, 5))
plain_domains = st.one_of(
    st.builds(OneOf, some),
    st.builds(lambda pair: Between(*pair), bounds),
    st.builds(lambda values, pair, repeats: SomeOf(values, *pair, repeats), some, sizes, st.booleans()),
    st.builds(Text, st.integers(0, 30)),
    st.just(OtherDomain({"prime": True})),
)
deeds = st.dictionaries(st.sampled_from("ab"), st.sampled_from([{"one_of": [1, 2]}, {"text": 9}, {"prime": 1}]))
windows = st.lists(
    st.fixed_dictionaries(
        {"id": st.sampled_from(["w1", "w2"]), "deeds": st.lists(deeds.map(lambda f: {"type": "do", "fields": f}))}
    ),
    max_size=2,
)
domains = plain_domains | st.builds(Match, st.sampled_from(["w1", "w2"]), st.booleans())
asks = st.lists(st.builds(Ask, st.sampled_from("xy"), st.booleans(), st.dictionaries(st.sampled_from("pqr"), domains)))


@law
@given(asks, windows, st.randoms(use_true_random=False))
def test_a_random_action_is_legal(asks, windows, rng):
    action = random_action(asks, rng, windows)
    if action is not None:
        assert any(ask.allows(action, windows) for ask in asks)


def empty(domain) -> bool:
    match domain:
        case OneOf(values):
            return not values
        case Between(low, high):
            return low > high
        case SomeOf(values, low, high, repeats):
            return low > high or low > (len(values) if not (repeats and values) else high)
        case Text(length):
            return length < 1
        case _:
            return True


@law
@given(st.lists(plain_domains, max_size=3), st.randoms(use_true_random=False))
def test_there_is_an_action_unless_a_domain_is_empty(domains, rng):
    ask = Ask("x", True, {str(n): domain for n, domain in enumerate(domains)})
    assert (random_action([ask], rng) is None) == any(map(empty, domains))


def test_every_member_is_found_in_time():
    rng = random.Random(3)
    ask = Ask("x", True, {"n": Between(0, 2), "some": SomeOf(("a", "b"), 0, 2), "does": Match("w1", or_null=True)})
    found = {repr(random_action([ask], rng, WINDOWS)) for _ in range(20_000)}
    subsets, partials = 5, 1 + 3 * 3
    assert len(found) == 3 * subsets * partials


def test_what_a_partial_action_cannot_name_it_leaves_open():
    deed = {"type": "do", "fields": {"n": {"prime": True}, "m": {"one_of": [1]}}}
    ask = Ask("offer", True, {"does": Match("w")})
    found = [random_action([ask], random.Random(n), [{"id": "w", "deeds": [deed]}])["does"] for n in range(20)]
    assert {repr(each) for each in found} == {"{'type': 'do'}", "{'type': 'do', 'm': 1}"}


def test_an_ask_that_cannot_be_filled_is_left_out():
    asks = [Ask("never", True, {"n": OneOf(())}), Ask("pass")]
    assert {random_action(asks, random.Random(n))["type"] for n in range(9)} == {"pass"}
    assert random_action([], random.Random(1)) is None
