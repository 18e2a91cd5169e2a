"""The closed list of problems: its words, its documents, and what never comes back in them."""

import ast
import re
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.problems import CODES, DETAILS, KINDS, LANGUAGES, Problem, help_page, language_of, shown

ROOT = Path(__file__).parents[2]
WIRE = (ROOT / "docs" / "wire.md").read_text("utf-8")
TOKEN = "cmt_" + "Canary" * 7 + "x"


def placeholders(text):
    return sorted(re.findall(r"{(\w+)}", text))


# --- The list -----------------------------------------------------------------------------------------


def test_the_list_is_the_one_of_the_wire():
    table = WIRE.partition("## Problems")[2]
    rows = re.findall(r"^\| (\d{3}) \| (.*) \|$", table, re.MULTILINE)
    written = {
        code: int(status) for status, codes in rows for code in re.findall(r"`(\w+)`", re.sub(r"\(.*?\)", "", codes))
    }
    assert written == {code: kind.status for code, kind in KINDS.items()}
    assert tuple(KINDS) == CODES


def test_every_text_is_there_in_both_languages():
    texts = [text for kind in KINDS.values() for text in (kind.title, kind.means, kind.do)] + list(DETAILS.values())
    for text in texts:
        assert text.en.isascii()
        assert not re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text.en)
        assert re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text.ja)
        assert text.en.strip() == text.en != text.ja == text.ja.strip()


def test_sentences_end_and_titles_do_not():
    for kind in KINDS.values():
        assert not kind.title.en.endswith(".")
        assert not kind.title.ja.endswith("。")
        assert kind.means.en.endswith(".")
        assert kind.do.ja.endswith("。")
    for detail in DETAILS.values():
        assert detail.en.endswith(".")
        assert detail.ja.endswith("。")


@pytest.mark.parametrize("key", DETAILS)
def test_a_detail_has_the_same_places_in_both_languages(key):
    assert placeholders(DETAILS[key].en) == placeholders(DETAILS[key].ja)
    filled = dict.fromkeys(placeholders(DETAILS[key].en), 7)
    for language in LANGUAGES:
        detail = Problem("invalid", key, **filled).document(language)["detail"]
        assert "{" not in detail
        assert ("7" in detail) == bool(filled)


def keyed_calls():
    """Every `Problem(code, "key", ...)` in the server's source: where, the key, the names that it fills."""
    for path in sorted((ROOT / "server").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.Call(func=ast.Name("Problem"), args=[_, ast.Constant(str() as key)], keywords=keywords):
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", key, {keyword.arg for keyword in keywords}


def test_every_key_that_the_server_uses_is_there_with_what_it_needs():
    calls = list(keyed_calls())
    assert calls
    assert [where for where, key, _ in calls if re.fullmatch(r"[a-z_]+", key) and key not in DETAILS] == []
    assert [
        where
        for where, key, names in calls
        if key in DETAILS and None not in names and not set(placeholders(DETAILS[key].en)) <= names
    ] == []


def test_no_key_looks_like_a_sentence():
    assert all(re.fullmatch(r"[a-z_]+", key) for key in DETAILS)


# --- A problem ----------------------------------------------------------------------------------------


def test_a_document_has_the_members_of_the_wire():
    problem = Problem("forbidden", "scope", scope="arbitrate")
    assert problem.document("en") == {
        "type": "/problems/forbidden",
        "title": "Not allowed",
        "status": 403,
        "detail": "This needs a token with the scope arbitrate.",
        "code": "forbidden",
        "scope": "arbitrate",
    }
    assert problem.document("ja")["detail"] == "スコープ arbitrate を持つトークンが必要です。"
    assert problem.document("fr") == problem.document("en")


@pytest.mark.parametrize("code", CODES)
def test_without_a_detail_it_says_what_the_code_means(code):
    for language in LANGUAGES:
        document = Problem(code).document(language)
        assert document["detail"] == KINDS[code].means.to(language)
        assert list(document) == ["type", "title", "status", "detail", "code"]
        assert msgspec.json.decode(msgspec.json.encode(document)) == document


def test_a_detail_may_be_a_sentence_or_one_for_each_language():
    assert Problem("malformed", "Expected an object.").document("ja")["detail"] == "Expected an object."
    both = Problem("refused", {"en": "Not now.", "ja": "今はできません。"}, reason="not_now")
    assert [both.document(language)["detail"] for language in ("en", "ja", "de")] == [
        "Not now.", "今はできません。", "Not now.",
    ]  # fmt: skip
    assert both.document("en")["reason"] == "not_now"


def test_an_unknown_code_is_impossible():
    with pytest.raises(ValueError, match="no problem of ours"):
        Problem("teapot")


def test_an_extension_cannot_replace_a_member():
    for name in ("type", "title", "status", "instance"):
        with pytest.raises(ValueError, match=name):
            Problem("invalid", **{name: "x"})


def test_a_place_cannot_be_left_empty():
    with pytest.raises(ValueError, match="limit"):
        Problem("too_large", "body_too_large")


# --- Headers ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", ["rate_limited", "unavailable"])
@pytest.mark.parametrize(("wait", "header"), [(None, "1"), (0.0, "1"), (0.2, "1"), (1.01, "2"), (30, "30")])
def test_retry_after_is_always_there_in_whole_seconds(code, wait, header):
    assert Problem(code, retry_after=wait).headers == {"Retry-After": header}


def test_a_status_brings_the_header_that_it_requires():
    assert Problem("unauthorized").headers == {"WWW-Authenticate": 'Bearer realm="comitium"'}
    assert Problem("method_not_allowed", headers={"Allow": "GET"}).headers == {"Allow": "GET"}
    assert Problem("unavailable", headers={"Retry-After": "9"}).headers == {"Retry-After": "9"}
    assert Problem("refused").headers == {}


# --- What comes back ----------------------------------------------------------------------------------


@given(st.text(max_size=400))
def test_a_value_comes_back_short_and_visible(value):
    for text in (
        shown(value),
        shown([value]),
        shown({value}),
        Problem("not_found", "no_such_game", game=value).document("en")["detail"],
    ):
        assert len(text) <= 80 + len(DETAILS["no_such_game"].en)
        assert all(c.isprintable() or c == "\u3000" for c in text)


def test_of_a_long_value_no_more_than_its_beginning_comes_back():
    long = "".join(f"{n:05d}" for n in range(20_000))
    for problem in (
        Problem("not_found", "no_such_game", game=long),
        Problem("invalid", "bad_field", field=long, why=long),
        Problem("malformed", f"Invalid value {long}"),
        Problem("invalid", {"en": long, "ja": long}),
        Problem("refused", reason=long),
    ):
        for language in LANGUAGES:
            assert len(str(problem.document(language))) < 1000
            assert long[:500] not in str(problem.document(language))
    assert shown(long) == long[:79] + "…"
    assert shown(["play", "read"]) == "play, read"


def test_control_characters_come_back_written_out():
    document = Problem("not_found", "no_such_game", game="a\r\nSet-Fire: b\x1b[31m\u202e\x00").document("en")
    assert document["detail"] == r"There is no game named a\r\nSet-Fire: b\x1b[31m\u202e\x00."
    assert document["game"] == r"a\r\nSet-Fire: b\x1b[31m\u202e\x00"
    assert Problem("malformed", "one\ntwo").document("en")["detail"] == r"one\ntwo"


@pytest.mark.parametrize(
    "around", ["{}", "x{}", "Bearer {}", "comitium.bearer.{}", '{{"token": "{}"}}', "a" * 60 + " {}"]
)
def test_a_token_never_comes_back(around):
    sent = around.format(TOKEN)
    for problem in (
        Problem("not_found", "no_such_game", game=sent),
        Problem("malformed", f"Expected `int`, got {sent}"),
        Problem("refused", reason=sent),
        Problem("unauthorized", {"en": sent, "ja": sent}),
    ):
        text = str([problem.document(language) for language in LANGUAGES]) + repr(problem) + str(problem)
        assert "Canary" not in text


def test_braces_of_a_value_are_only_braces():
    assert "{seat}" in Problem("not_found", "no_such_game", game="{seat}").document("en")["detail"]


# --- Languages ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("header", "language"),
    [
        (None, "en"),
        ("", "en"),
        ("ja", "ja"),
        ("JA", "ja"),
        ("ja-JP", "ja"),
        ("ja-JP,ja;q=0.9,en-US;q=0.8,en;q=0.7", "ja"),
        ("en-GB,en;q=0.9,ja;q=0.8", "en"),
        ("en;q=0.8, ja", "ja"),
        ("en;q=0.8, ja ; q=0.9", "ja"),
        ("en;q=0.5, ja;q=0.501", "ja"),
        ("fr, de;q=0.9", "en"),
        ("fr, ja;q=0.1", "ja"),
        ("*", "en"),
        ("*;q=0.5, ja;q=0.4", "en"),
        ("*;q=0.4, ja;q=0.5", "ja"),
        ("en;q=0, *", "ja"),
        ("en;q=0", "ja"),
        ("ja;q=0", "en"),
        ("ja;q=0, *;q=0.1", "en"),
        ("ja;q=0, en;q=0", "en"),
        ("ja, en", "ja"),
        ("en, ja", "en"),
        ("ja;q=1.5, en;q=0.1", "en"),
        ("ja;q=abc", "en"),
        ("ja;q=", "en"),
        ("ja;level=1", "en"),
        (",,ja,,", "ja"),
        ("jap", "en"),
        ("日本語", "en"),
        ("x" * 100_000 + ",ja", "en"),
    ],
)
def test_the_language_that_is_liked_best(header, language):
    assert language_of(header) == language


@given(st.text(st.sampled_from("ejan*;q=01.5, -")))
def test_any_header_gives_a_language(header):
    assert language_of(header) in LANGUAGES


# --- Help ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", CODES)
def test_there_is_a_page_for_every_type(code):
    english, japanese = (help_page(code, language) for language in LANGUAGES)
    for page in (english, japanese):
        assert code in page
        assert str(KINDS[code].status) in page
    assert KINDS[code].do.en in english
    assert KINDS[code].means.ja in japanese


def test_there_is_no_page_for_anything_else():
    assert help_page("teapot", "en") is None
    assert help_page("../problems", "ja") is None
