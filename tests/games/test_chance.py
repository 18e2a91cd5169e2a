"""The generator against NIST's values, the draws against a second implementation, and against counting."""

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import permutations, product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games import chance
from games.chance import Chance, DrawError, Drbg, Forbidden, Scripted, Source, seed_hash, table_key

VECTORS = Path(__file__).parents[1] / "golden" / "vectors"
NIST = json.loads((VECTORS / "drbg.json").read_text())["vectors"]
GOLDEN = json.loads((VECTORS / "shuffle.json").read_text())
KEY = bytes(range(32))

law = settings(deadline=None)  # no law is about time
keys = st.binary(min_size=32, max_size=32)
draws = st.integers(0, 2**64 - 1)
hands = st.lists(st.integers(), max_size=40)


# --- A second implementation, sharing nothing with the first ------------------------------------------


def plain_hmac(key: bytes, message: bytes) -> bytes:
    padded = key + bytes(64 - len(key))
    inner = hashlib.sha256(bytes(b ^ 0x36 for b in padded) + message).digest()
    return hashlib.sha256(bytes(b ^ 0x5C for b in padded) + inner).digest()


def plain_requests(key: bytes, draw: int) -> Iterator[str]:
    """The first 32 bytes of each request, as a string of bits."""
    k, v = b"\0" * 32, b"\1" * 32
    for mark in b"\0", b"\1":
        k = plain_hmac(k, v + mark + key + draw.to_bytes(8, "big"))
        v = plain_hmac(k, v)
    while True:
        v = plain_hmac(k, v)
        yield "".join(f"{byte:08b}" for byte in v)
        k = plain_hmac(k, v + b"\0")
        v = plain_hmac(k, v)


class Plain:
    def __init__(self, key: bytes, draw: int) -> None:
        self.requests = plain_requests(key, draw)

    def below(self, n: int) -> int:
        bits = len(f"{n - 1:b}") if n > 1 else 0
        return 0 if not bits else next(x for r in self.requests if (x := int(r[:bits], 2)) < n)

    def roll(self, n: int) -> int:
        return self.below(n) + 1

    def pick(self, n: int) -> int:
        return self.below(n)

    def shuffle(self, n: int) -> list[int]:
        rest, backwards = list(range(n)), []
        while rest:
            j = self.below(len(rest))
            backwards.append(rest[j])
            rest[j] = rest[-1]
            rest.pop()
        return backwards[::-1]

    def sample(self, n: int, k: int) -> list[int]:
        rest, drawn = list(range(n)), []
        for _ in range(k):
            j = self.below(len(rest))
            drawn.append(rest[j])
            rest[j] = rest[0]
            rest.pop(0)
        return drawn


# --- The generator ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "vector", NIST, ids=lambda v: f"personal-{v['personalization_bits']}-additional-{v['additional_bits']}-{v['count']}"
)
def test_the_generator_returns_what_nist_publishes(vector):
    drbg = Drbg(*(bytes.fromhex(vector[name]) for name in ("entropy_input", "nonce", "personalization")))
    first, second = (drbg.generate(128, bytes.fromhex(text)) for text in vector["additional"])
    assert second.hex() == vector["returned"]
    assert first != second


def test_the_vectors_cover_every_kind_of_input():
    kinds = Counter((v["personalization_bits"], v["additional_bits"]) for v in NIST)
    assert kinds == {(0, 0): 3, (0, 256): 3, (256, 0): 3, (256, 256): 3}


def test_one_request_is_for_two_to_the_sixteen_bytes_at_most():
    drbg = Drbg(KEY, b"")
    assert len(drbg.generate(1 << 16)) == 1 << 16
    for size in (1 << 16) + 1, -1:
        with pytest.raises(ValueError, match="One request"):
            drbg.generate(size)


def test_a_refused_request_changes_nothing():
    refused, fresh = Drbg(KEY, b""), Drbg(KEY, b"")
    with pytest.raises(ValueError, match="One request"):
        refused.generate(1 << 20)
    assert refused.generate(32) == fresh.generate(32)


def test_the_last_request_before_a_reseed_is_answered_and_the_next_is_not():
    drbg = Drbg(KEY, b"")
    drbg._counter = 1 << 48
    assert len(drbg.generate(1)) == 1
    with pytest.raises(DrawError):
        drbg.generate(1)


def test_entropy_is_as_long_as_the_strength():
    with pytest.raises(ValueError, match="32 bytes"):
        Drbg(bytes(31), b"")


# --- Golden draws -------------------------------------------------------------------------------------


def redo(source: Source, call: str, n: int, k: int | None = None) -> Any:
    match call:
        case "below":
            return source.below(n)
        case "roll":
            return source.roll(n)
        case "pick":
            return source.pick(range(n))
        case "shuffle":
            return list(source.shuffle(range(n)))
        case "sample":
            return list(source.sample(range(n), k))
    raise AssertionError(call)


@pytest.mark.parametrize("golden", GOLDEN["draws"], ids=lambda g: f"{g['key'][:4]}-{g['draw']}")
def test_golden_draws_are_drawn_again_by_both_implementations(golden):
    key, draw = bytes.fromhex(golden["key"]), golden["draw"]
    ours, plain = Chance(key, draw), Plain(key, draw)
    for step in golden["calls"]:
        call, *arguments = (step[name] for name in ("call", "n", "k") if name in step)
        assert redo(ours, call, *arguments) == step["result"]
        assert getattr(plain, call)(*arguments) == step["result"]


@law
@given(keys, draws, st.lists(st.integers(1, 2**53), max_size=8), st.integers(0, 40), st.data())
def test_both_implementations_agree_on_any_draw(key, draw, ranges, n, data):
    ours, plain = Chance(key, draw), Plain(key, draw)
    k = data.draw(st.integers(0, n))
    assert [ours.below(r) for r in ranges] == [plain.below(r) for r in ranges]
    assert list(ours.shuffle(range(n))) == plain.shuffle(n)
    assert list(ours.sample(range(n), k)) == plain.sample(n, k)


# --- No result is likelier than another: counted, not sampled -----------------------------------------


class Bytes:
    """Stands for the generator: answers one request with given bytes, then runs dry."""

    def __init__(self, answer: bytes) -> None:
        self.answer = answer

    def generate(self, size: int) -> bytes:
        answer, self.answer = self.answer, b""
        if not answer:
            raise EOFError
        assert len(answer) == size
        return answer


def drawn_from(answer: bytes, n: int) -> int | None:
    """What `below(n)` makes of one answer, None if it discards it."""
    source = Chance(KEY, 0)
    source._drbg = Bytes(answer)  # type: ignore[assignment]  # a stand-in
    try:
        return source.below(n)
    except EOFError:
        return None


@pytest.mark.parametrize(
    ("n", "size"), [(2, 1), (3, 1), (6, 1), (52, 1), (64, 1), (65, 1), (255, 1), (256, 1), (257, 2), (1000, 2)]
)
def test_each_number_has_the_same_share_of_all_answers(n, size):
    share = 2 ** (8 * size - (n - 1).bit_length())
    counted = Counter(drawn_from(bytes(answer), n) for answer in product(range(256), repeat=size))
    discarded = counted.pop(None, 0)
    assert counted == dict.fromkeys(range(n), share)
    assert discarded == 256**size - n * share < 256**size / 2


def test_the_leading_bits_count_and_the_trailing_bits_do_not():
    assert {drawn_from(bytes([0b101_00000 + low]), 6) for low in range(32)} == {5}
    assert {drawn_from(bytes([0b110_00000 + low]), 6) for low in range(32)} == {None}
    assert {drawn_from(bytes([0x80, 0b1_0000000 + low]), 257) for low in range(128)} == {None}
    assert {drawn_from(bytes([0x80, low]), 257) for low in range(128)} == {256}


class Told(Source):
    """Answers `below` with the given numbers."""

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = list(numbers)

    @property
    def used(self) -> bool:
        return True

    def below(self, n: int) -> int:
        number = self.numbers.pop(0)
        assert number < n
        return number


@pytest.mark.parametrize("n", range(7))
def test_the_ways_to_shuffle_are_the_permutations_each_once(n):
    ways = product(*(range(i + 1) for i in range(n - 1, 0, -1)))
    assert Counter(Told(way).shuffle(range(n)) for way in ways) == Counter(permutations(range(n)))


@pytest.mark.parametrize(("n", "k"), [(n, k) for n in range(6) for k in range(n + 1)])
def test_the_ways_to_sample_are_the_arrangements_each_once(n, k):
    ways = product(*(range(n - i) for i in range(k)))
    assert Counter(Told(way).sample(range(n), k) for way in ways) == Counter(permutations(range(n), k))


# --- Laws of draws ------------------------------------------------------------------------------------


@law
@given(keys, draws, st.integers(1, 2**70))
def test_below_and_roll_stay_in_range(key, draw, n):
    source = Chance(key, draw)
    assert 0 <= source.below(n) < n
    assert 1 <= source.roll(n) <= n


@law
@given(keys, draws, hands)
def test_a_shuffle_is_a_permutation_and_leaves_its_argument_alone(key, draw, hand):
    before = list(hand)
    assert Counter(Chance(key, draw).shuffle(hand)) == Counter(before)
    assert hand == before


@law
@given(keys, draws, hands, st.data())
def test_a_sample_is_the_beginning_of_every_longer_sample(key, draw, hand, data):
    k = data.draw(st.integers(0, len(hand)))
    whole = Chance(key, draw).sample(hand, len(hand))
    assert Chance(key, draw).sample(hand, k) == whole[:k]
    assert Counter(whole) == Counter(hand)


@law
@given(keys, draws, hands.filter(bool))
def test_a_pick_is_the_first_of_a_sample(key, draw, hand):
    assert (Chance(key, draw).pick(hand),) == Chance(key, draw).sample(hand, 1)


@law
@given(keys, st.lists(st.integers(0, 50), unique=True, max_size=5), st.integers(0, 30))
def test_a_draw_depends_on_its_number_and_not_on_other_draws(key, numbers, rolls):
    alone = {number: Chance(key, number).shuffle(range(9)) for number in numbers}
    for number in reversed(numbers):
        another = Chance(key, number + 51)
        assert all(another.roll(6) for _ in range(rolls))
        assert Chance(key, number).shuffle(range(9)) == alone[number]


def test_a_thousand_draws_and_a_thousand_keys_give_different_numbers():
    by_number = {Chance(KEY, draw).below(1 << 128) for draw in range(1000)}
    by_key = {Chance(seed_hash(bytes([i // 256, i % 256])), 0).below(1 << 128) for i in range(1000)}
    assert len(by_number | by_key) == 2000


def test_nothing_is_made_until_something_is_drawn(monkeypatch):
    made = []
    monkeypatch.setattr(chance, "Drbg", lambda *given: made.append(given) or Drbg(*given))
    source = Chance(KEY, 258)
    assert (source.below(1), source.shuffle("a"), source.sample("abc", 0)) == (0, ("a",), ())
    assert (made, source.used) == ([], False)
    source.roll(6)
    source.roll(6)
    assert (made, source.used) == ([(KEY, b"\0\0\0\0\0\0\1\2")], True)


@pytest.mark.parametrize(("key", "draw"), [(bytes(31), 0), (bytes(33), 0), (KEY, -1), (KEY, 1 << 64)])
def test_a_key_is_32_bytes_and_a_draw_number_fits_8(key, draw):
    with pytest.raises(ValueError, match=r"32 bytes|8 bytes"):
        Chance(key, draw)


# --- What every source does ---------------------------------------------------------------------------

every_source = pytest.mark.parametrize(
    "make", [lambda: Chance(KEY, 0), Scripted, Forbidden], ids=["chance", "scripted", "forbidden"]
)


@every_source
def test_what_leaves_no_choice_is_not_a_draw(make: Callable[[], Source]):
    source = make()
    assert (source.below(1), source.roll(1), source.pick("x")) == (0, 1, "x")
    assert (source.shuffle(""), source.shuffle("x"), source.sample("x", 1), source.sample("xy", 0)) == (
        (),
        ("x",),
        ("x",),
        (),
    )
    assert not source.used


@every_source
@pytest.mark.parametrize(
    "ask",
    [
        lambda source: source.below(0),
        lambda source: source.below(-1),
        lambda source: source.roll(0),
        lambda source: source.pick(()),
        lambda source: source.sample((), 1),
        lambda source: source.sample("ab", 3),
        lambda source: source.sample("ab", -1),
    ],
)
def test_nothing_comes_of_nothing(make: Callable[[], Source], ask: Callable[[Source], object]):
    source = make()
    with pytest.raises(ValueError, match=r"nothing to draw|A sample of"):
        ask(source)
    assert not source.used


DRAWS: list[Callable[[Source], object]] = [
    lambda source: source.below(2),
    lambda source: source.roll(6),
    lambda source: source.pick("ab"),
    lambda source: source.shuffle("ab"),
    lambda source: source.sample("ab", 1),
]


@pytest.mark.parametrize("ask", DRAWS)
def test_where_drawing_is_forbidden_every_draw_is_refused(ask):
    source = Forbidden()
    with pytest.raises(DrawError):
        ask(source)
    assert not source.used


@pytest.mark.parametrize("ask", DRAWS)
def test_a_script_that_is_at_its_end_refuses(ask):
    with pytest.raises(DrawError, match="one more"):
        ask(Scripted())


def test_a_script_is_read_in_order():
    source = Scripted(5, 6, "king", ("c", "a", "b"), "ba", 1)
    assert source.below(6) == 5
    assert source.roll(6) == 6
    assert source.pick(["knave", "king"]) == "king"
    assert source.shuffle("abc") == ("c", "a", "b")
    assert source.sample(["a", "b", "c"], 2) == ("b", "a")
    assert source.used
    assert source.left == (1,)


@pytest.mark.parametrize(
    ("result", "ask"),
    [
        (6, lambda source: source.below(6)),
        (-1, lambda source: source.below(6)),
        (0, lambda source: source.roll(6)),
        (7, lambda source: source.roll(6)),
        ("six", lambda source: source.roll(6)),
        ("queen", lambda source: source.pick(["knave", "king"])),
        (("a", "a"), lambda source: source.shuffle("ab")),
        (("a",), lambda source: source.shuffle("ab")),
        (3, lambda source: source.shuffle("ab")),
        (("a", "a"), lambda source: source.sample("abc", 2)),
        (("a", "b", "c"), lambda source: source.sample("abc", 2)),
        (("a", "d"), lambda source: source.sample("abc", 2)),
    ],
)
def test_a_script_gives_no_result_that_chance_could_not(result, ask):
    with pytest.raises(DrawError, match="The script says"):
        ask(Scripted(result))


@law
@given(keys, draws, hands, st.integers(1, 2**53), st.data())
def test_what_chance_gave_can_be_scripted(key, draw, hand, n, data):
    k = data.draw(st.integers(0, len(hand)))

    def play(source: Source) -> list[object]:
        return [source.below(n), source.roll(n), source.shuffle(hand), source.sample(hand, k)]

    given_results = play(Chance(key, draw))
    drew = [n > 1, n > 1, len(hand) > 1, len(hand) > 1 and k > 0]
    script = Scripted(*(result for result, drawn in zip(given_results, drew, strict=True) if drawn))
    assert play(script) == given_results
    assert script.left == ()


# --- The seed and the key -----------------------------------------------------------------------------


@pytest.mark.parametrize("golden", GOLDEN["seed_hash"], ids=lambda g: g["seed"][:4])
def test_golden_seed_hashes(golden):
    seed = bytes.fromhex(golden["seed"])
    assert seed_hash(seed) == hashlib.sha256(b"comitium seed 1" + seed).digest() == bytes.fromhex(golden["hash"])


@pytest.mark.parametrize("golden", GOLDEN["table_key"], ids=lambda g: g["key"][:4])
def test_golden_table_keys(golden):
    seed, table, entropies = bytes.fromhex(golden["seed"]), golden["table"], golden["entropies"]
    key = table_key(seed, table, entropies)
    assert golden["message"] == json.dumps([table, entropies], separators=(",", ":"))
    assert key == plain_hmac(seed, golden["message"].encode("ascii")) == bytes.fromhex(golden["key"])
    assert Chance(key, 0).roll(6)


def test_every_part_changes_the_key():
    a, b = "aa" * 32, "bb" * 32
    inputs = [
        (KEY, "t", [a, b]),
        (bytes(32), "t", [a, b]),
        (KEY, "u", [a, b]),
        (KEY, "t", [b, a]),
        (KEY, "t", [a, None]),
        (KEY, "t", [None, a]),
        (KEY, "t", [a]),
        (KEY, "t", []),
        (KEY, "t", [None]),
    ]
    assert len({table_key(*given_parts) for given_parts in inputs}) == len(inputs)


def test_a_tuple_of_entropies_is_as_good_as_a_list():
    assert table_key(KEY, "t", ("aa" * 32, None)) == table_key(KEY, "t", ["aa" * 32, None])


@pytest.mark.parametrize("entropy", ["", "aa", "AA" * 32, "aa" * 33, "ag" * 32, " " + "a" * 63])
def test_an_entropy_has_one_spelling(entropy):
    with pytest.raises(ValueError, match="entropy"):
        table_key(KEY, "t", [entropy])


@pytest.mark.parametrize("table", ["tä", "t\n", "表"])
def test_a_table_id_is_printable_ascii(table):
    with pytest.raises(ValueError, match="id"):
        table_key(KEY, table, [None])
