"""Buckets against a model that counts, and the memory that they take."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.limits import Holdings, Limiter, address_key, whole_seconds
from server.settings import Rate


class Clock:
    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_a_burst_then_the_rate():
    clock = Clock()
    limiter = Limiter(Rate(2.0, 5), clock)
    assert [limiter.wait("a") for _ in range(5)] == [0.0] * 5
    assert limiter.wait("a") == pytest.approx(0.5)
    clock.now += 0.5
    assert limiter.wait("a") == 0.0
    assert limiter.wait("a") == pytest.approx(0.5)


def test_keys_do_not_share():
    limiter = Limiter(Rate(1.0, 1), Clock())
    assert limiter.wait("a") == 0.0
    assert limiter.wait("b") == 0.0
    assert limiter.wait("a") > 0


def test_a_refusal_takes_nothing():
    clock = Clock()
    limiter = Limiter(Rate(1.0, 2), clock)
    assert limiter.wait("a", 2) == 0.0
    assert {limiter.wait("a") for _ in range(100)} == {1.0}
    clock.now += 1
    assert limiter.wait("a") == 0.0


def test_no_rate_is_no_limit():
    limiter = Limiter(None, Clock())
    assert {limiter.wait("a", 10**9) for _ in range(1000)} == {0.0}
    assert len(limiter) == 0


def test_more_than_a_bucket_holds_is_a_mistake():
    with pytest.raises(ValueError, match="never holds 3"):
        Limiter(Rate(1.0, 2), Clock()).wait("a", 3)


class Counted:
    """The plain way: a level for every key, for ever."""

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self.levels: dict[str, tuple[float, float]] = {}

    def take(self, key: str, now: float, tokens: int) -> bool:
        level, then = self.levels.get(key, (float(self.rate.burst), now))
        level = min(self.rate.burst, level + (now - then) * self.rate.per_second)
        enough = level + 1e-6 >= tokens
        self.levels[key] = (level - tokens if enough else level, now)
        return enough


@given(
    st.integers(1, 8),
    st.sampled_from([0.5, 1.0, 4.0]),
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 12), st.integers(1, 8)), max_size=80),
)
def test_forgetting_full_buckets_changes_no_answer(burst, per_second, calls):
    clock, rate = Clock(), Rate(per_second, burst)
    limiter, model = Limiter(rate, clock), Counted(rate)
    for key, quarters, wanted in calls:
        clock.now += quarters / 4
        tokens = min(wanted, burst)
        assert (limiter.wait(key, tokens) == 0.0) == model.take(key, clock.now, tokens)


@given(st.floats(0.01, 1000), st.integers(1, 300), st.floats(0, 1e9), st.integers(1, 400))
def test_who_waits_as_long_as_told_is_served(per_second, burst, start, calls):
    clock = Clock(start)
    limiter = Limiter(Rate(per_second, burst), clock)
    for _ in range(calls):
        if wait := limiter.wait("a"):
            clock.now += whole_seconds(wait)
            assert limiter.wait("a") == 0.0


def test_memory_follows_the_keys_that_are_busy():
    clock = Clock()
    limiter = Limiter(Rate(10.0, 10), clock)
    for n in range(10_000):
        limiter.wait(f"key {n}")
        clock.now += 0.01
    assert len(limiter) <= 201, "two times what comes in the second that fills a bucket"


def test_memory_is_bounded_whatever_comes():
    limiter = Limiter(Rate(0.01, 1000), Clock(), most=100)
    for n in range(10_000):
        limiter.wait(f"key {n}")
        assert len(limiter) <= 100


def test_holdings_are_counted_by_key():
    holdings = Holdings(2)
    assert [holdings.take("a") for _ in range(3)] == [True, True, False]
    assert holdings.take("b")
    holdings.give_back("a")
    assert holdings.take("a")
    for key in "aab":
        holdings.give_back(key)
    assert len(holdings) == 0


def test_holdings_without_a_limit():
    holdings = Holdings(None)
    assert all(holdings.take("a") for _ in range(1000))


@pytest.mark.parametrize(("wait", "whole"), [(0.0, 1), (0.001, 1), (1.0, 1), (1.001, 2), (59.2, 60)])
def test_retry_after_is_whole_and_never_too_short(wait, whole):
    assert whole_seconds(wait) == whole >= math.floor(wait)


@pytest.mark.parametrize(
    ("address", "key"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_one_customer_is_one_address(address, key):
    assert address_key(address) == key
