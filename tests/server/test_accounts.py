"""Players, tokens, invites and keys: the same tests over memory and over a file."""

import base64
import hashlib
import hmac
import os
import re
import sqlite3
import stat
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import apsw
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from server.accounts import (
    SCOPES,
    AccountsFileError,
    InviteRefused,
    KeyReused,
    KeySpent,
    NameRefused,
    Principal,
    ScopesRefused,
    UnknownPlayer,
    codes,
    open_accounts,
    principals,
)
from server.accounts.names import LONGEST, clean_name
from server.accounts.ports import AccountRefused, scopes_of, words_of
from server.problems import DETAILS, KINDS, Problem

PLAYER = ("play", "read")
NOON = 1_700_000_000_000


@pytest.fixture
def file(tmp_path):
    return tmp_path / "some.accounts"


@pytest.fixture(params=["memory", "file"])
def accounts(request, file):
    opened = open_accounts("memory:" if request.param == "memory" else str(file), clock=lambda: NOON)
    yield opened
    opened.close()


def bytes_of(file):
    """Everything in the file and in what SQLite keeps beside it."""
    return b"".join(path.read_bytes() for path in sorted(file.parent.glob(file.name + "*")))


# --- Players and tokens -------------------------------------------------------------------------------


def test_a_registration_gives_an_id_and_a_token(accounts):
    livia = accounts.register(" Livia ", PLAYER)
    assert re.fullmatch(r"p-[a-z2-7]{16}", livia.player)
    assert len(base64.urlsafe_b64decode(livia.token.removeprefix("cmt_") + "=")) == 32
    assert livia.name == "Livia"
    assert livia.scopes == {"play", "read"}
    assert accounts.principal(livia.token) == Principal(
        livia.player, "Livia", frozenset(PLAYER), livia.token_id, bot=False
    )


def test_names_need_not_be_unique(accounts):
    first, second = (accounts.register("Livia", PLAYER) for _ in range(2))
    assert first.player != second.player
    assert first.token != second.token
    assert accounts.names([first.player, second.player, "p-nobody"]) == {
        first.player: "Livia",
        second.player: "Livia",
    }


def test_a_player_is_known_by_the_id(accounts):
    bot = accounts.register("Automaton", PLAYER, bot=True)
    known = accounts.player(bot.player)
    assert (known.id, known.name, known.bot, known.created, known.erased) == (
        bot.player, "Automaton", True, NOON, False,
    )  # fmt: skip
    assert accounts.principal(bot.token).bot
    assert accounts.player("p-nobody") is None
    assert accounts.players([]) == {}


def test_a_key_registers_once(accounts):
    accounts.register("Livia", PLAYER, key="one")
    with pytest.raises(KeySpent):
        accounts.register("Livia", PLAYER, key="one")
    accounts.register("Livia", PLAYER, key="two")


def test_a_refused_name_spends_no_key(accounts):
    with pytest.raises(NameRefused):
        accounts.register("", PLAYER, key="one")
    accounts.register("Livia", PLAYER, key="one")


def test_a_spent_key_leaves_nothing_behind(accounts):
    accounts.register("Livia", PLAYER, key="one")
    before = accounts._db.execute("SELECT count(*) FROM player").get
    with pytest.raises(KeySpent):
        accounts.register("Livia", PLAYER, key="one")
    assert accounts._db.execute("SELECT count(*) FROM player").get == before


@pytest.mark.parametrize(
    "token", ["", "cmt_", "x" * 47, "cmt_" + "A" * 43, "cmt_" + "é" * 43, "cmt_" + "A" * 10**6, "inv_" + "a" * 43]
)
def test_a_text_that_is_no_token_is_nobody(accounts, token):
    assert accounts.principal(token) is None


def test_a_token_has_one_spelling(accounts):
    livia = accounts.register("Livia", PLAYER)
    for other in (livia.token + "=", livia.token.swapcase(), " " + livia.token, livia.token[:-1]):
        assert accounts.principal(other) is None


def test_a_further_token_has_no_more_scopes_than_the_one_that_asks(accounts):
    livia = accounts.register("Livia", PLAYER)
    reading = accounts.issue(livia.player, ["read"], within=livia.scopes)
    assert accounts.principal(reading.token).scopes == {"read"}
    with pytest.raises(ScopesRefused) as refused:
        accounts.issue(livia.player, ["read", "play", "operate"], within=reading.scopes)
    assert refused.value.params == {"scopes": "operate play"}
    assert [token.id for token in accounts.tokens(livia.player)] == [livia.token_id, reading.token_id]
    assert [words_of(token.scopes) for token in accounts.tokens(livia.player)] == ["play read", "read"]
    assert {token.created for token in accounts.tokens(livia.player)} == {NOON}


def test_the_operator_may_grant_every_scope(accounts):
    livia = accounts.register("Livia", PLAYER)
    arbiter = accounts.issue(livia.player, ["arbitrate"], within=SCOPES)
    assert accounts.principal(arbiter.token).scopes == {"arbitrate"}


def test_a_key_issues_once_for_each_player(accounts):
    livia, drusus = (accounts.register(name, PLAYER, key=name) for name in ("Livia", "Drusus"))
    accounts.issue(livia.player, ["read"], within=PLAYER, key="Livia")
    accounts.issue(drusus.player, ["read"], within=PLAYER, key="Livia")
    with pytest.raises(KeySpent):
        accounts.issue(livia.player, ["read"], within=PLAYER, key="Livia")


def test_nobody_gets_no_token(accounts):
    livia = accounts.register("Livia", PLAYER)
    accounts.erase(livia.player)
    for player in (livia.player, "p-nobody"):
        with pytest.raises(UnknownPlayer):
            accounts.issue(player, ["read"], within=SCOPES)


def test_a_revoked_token_ends_at_once_and_alone(accounts):
    livia = accounts.register("Livia", PLAYER)
    other = accounts.issue(livia.player, PLAYER, within=PLAYER)
    assert accounts.principal(livia.token)
    assert accounts.revoke(livia.player, livia.token_id)
    assert accounts.principal(livia.token) is None
    assert accounts.principal(other.token)
    assert not accounts.revoke(livia.player, livia.token_id)


def test_nobody_revokes_anothers_token(accounts):
    livia, drusus = (accounts.register(name, PLAYER) for name in ("Livia", "Drusus"))
    assert not accounts.revoke(drusus.player, livia.token_id)
    assert accounts.principal(livia.token)


def test_the_memory_for_principals_is_bounded_and_guesses_do_not_fill_it(accounts, monkeypatch):
    monkeypatch.setattr(principals, "MOST", 3)
    tokens = [accounts.register("Livia", PLAYER).token for _ in range(8)]
    for token in tokens * 2:
        assert accounts.principal(token)
        assert accounts.principal(codes.new_token()) is None
        assert len(accounts._principals._known) <= 3


# --- Names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["L", "x" * 40, "リウィア", "山田 花子", "  Livia\t", "O'Neil <b>", "👩‍👩‍👧", "نرگس\u200cخاتون"]
)
def test_names_of_all_scripts(name):
    assert clean_name(name) == name.strip()


def test_a_name_is_in_normal_form_and_as_long_as_it_looks():
    assert clean_name("e\u0301" * LONGEST) == "é" * LONGEST


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "name_empty"),
        (" \t\n\u3000", "name_empty"),
        ("\u200b\u2060", "name_empty"),
        ("\u0301", "name_empty"),
        ("x" * 41, "name_too_long"),
        ("Livia\x00", "name_unseen"),
        ("Li\nvia", "name_unseen"),
        ("Li\x1b[31mvia", "name_unseen"),
        ("Li\u202evia", "name_unseen"),
        ("Li\u2028via", "name_unseen"),
        ("Li\ud800via", "name_unseen"),
        ("Li\x85via", "name_unseen"),
    ],
)
def test_what_is_no_name(name, why):
    with pytest.raises(NameRefused) as refused:
        clean_name(name)
    assert refused.value.key == why


@given(st.text(max_size=60))
def test_a_name_stays_as_it_is_once_it_is_clean(name):
    try:
        clean = clean_name(name)
    except NameRefused:
        return
    assert clean_name(clean) == clean
    assert 1 <= len(clean) <= LONGEST


# --- Forgetting ---------------------------------------------------------------------------------------


def test_an_erased_player_is_an_id_and_nothing_else(accounts):
    livia, drusus = (accounts.register(name, PLAYER) for name in ("Livia", "Drusus"))
    given_out = accounts.invite("t1", "play", None, livia.player)
    kept = accounts.invite("t1", "play", None, drusus.player)
    accounts.admit("t1", livia.player)
    assert accounts.principal(livia.token)
    assert accounts.erase(livia.player)
    assert accounts.principal(livia.token) is None
    assert accounts.tokens(livia.player) == ()
    assert not accounts.is_admitted("t1", livia.player)
    assert accounts.invite_of(given_out.code) is None
    assert accounts.invite_of(kept.code)
    assert accounts.player(livia.player).erased
    assert accounts.names([livia.player, drusus.player]) == {livia.player: "—", drusus.player: "Drusus"}


def test_erasing_is_said_again_or_to_nobody(accounts):
    livia = accounts.register("Livia", PLAYER)
    assert accounts.erase(livia.player)
    assert accounts.erase(livia.player)
    assert not accounts.erase("p-nobody")


def test_the_name_is_gone_from_the_bytes_of_the_file(file):
    accounts = open_accounts(str(file))
    players = [accounts.register(f"Canary-{n}-of-the-coalmine", PLAYER).player for n in range(200)]
    assert b"Canary-77-" in bytes_of(file)
    accounts.erase(players[77])
    assert b"Canary-77-" not in bytes_of(file)
    assert b"Canary-78-" in bytes_of(file)
    accounts.close()


# --- Invites ------------------------------------------------------------------------------------------


def test_an_invite_is_found_by_its_code(accounts):
    made = accounts.invite("t1", "play", 2, "p-livia")
    assert re.fullmatch(r"inv_[a-z2-7]{24}", made.code)
    assert accounts.invite_of(made.code) == made
    assert (made.table, made.role, made.seat, made.by, made.created) == ("t1", "play", 2, "p-livia", NOON)


def test_a_code_may_be_typed(accounts):
    made = accounts.invite("t1", "watch", None, "p-livia")
    assert accounts.invite_of(f" {made.code.upper()}\n").table == "t1"


@pytest.mark.parametrize("code", ["", "inv_", "inv_" + "a" * 24, "\ud800", "x" * 10**6])
def test_an_unknown_code_is_good_for_nothing(accounts, code):
    assert accounts.invite_of(code) is None
    assert not accounts.uninvite("t1", code)


def test_without_a_key_every_code_is_new(accounts):
    assert len({accounts.invite("t1", "play", None, "p-livia").code for _ in range(50)}) == 50


def test_a_key_gives_the_same_invite_again(accounts):
    first = accounts.invite("t1", "play", 1, "p-livia", key="one")
    assert accounts.invite("t1", "play", 1, "p-livia", key="one") == first


@pytest.mark.parametrize(
    "other",
    [("t2", "play", 1, "p-livia", "one"), ("t1", "play", 1, "p-drusus", "one"), ("t1", "play", 1, "p-livia", "two")],
)
def test_the_key_of_another_player_or_table_is_another_key(accounts, other):
    first = accounts.invite("t1", "play", 1, "p-livia", key="one")
    assert accounts.invite(*other).code != first.code


def test_the_parts_of_a_key_do_not_run_together(accounts):
    assert accounts.invite("b", "play", 1, "a", key="c|d").code != accounts.invite("b|c", "play", 1, "a", key="d").code


@pytest.mark.parametrize(("role", "seat"), [("play", 2), ("play", None), ("watch", None)])
def test_a_key_with_another_body_is_refused(accounts, role, seat):
    accounts.invite("t1", "play", 1, "p-livia", key="one")
    with pytest.raises(KeyReused):
        accounts.invite("t1", role, seat, "p-livia", key="one")


def test_who_watches_needs_no_seat(accounts):
    with pytest.raises(InviteRefused):
        accounts.invite("t1", "watch", 1, "p-livia")


def test_a_revoked_invite_stays_revoked(accounts):
    made = accounts.invite("t1", "play", 1, "p-livia", key="one")
    assert not accounts.uninvite("t2", made.code)
    assert accounts.uninvite("t1", made.code)
    assert accounts.invite_of(made.code) is None
    assert not accounts.uninvite("t1", made.code)
    assert accounts.invite("t1", "play", 1, "p-livia", key="one") == made, "the first answer again"
    assert accounts.invite_of(made.code) is None, "but it is not back to life"


def test_who_is_admitted_may_read_that_table(accounts):
    assert not accounts.is_admitted("t1", "p-livia")
    for _ in range(2):
        accounts.admit("t1", "p-livia")
    assert accounts.is_admitted("t1", "p-livia")
    assert not accounts.is_admitted("t2", "p-livia")
    assert not accounts.is_admitted("p-livia", "t1")


# --- The server's own ---------------------------------------------------------------------------------


def test_the_signing_key_is_an_ed25519_pair_with_an_id(accounts):
    key = accounts.signing_key()
    assert Ed25519PrivateKey.from_private_bytes(key.private).public_key().public_bytes_raw() == key.public
    assert key.id == hashlib.sha256(key.public).hexdigest()[:16]
    assert [(k.id, k.public, k.created, k.current) for k in accounts.signing_keys()] == [
        (key.id, key.public, NOON, True)
    ]


def test_rotation_keeps_the_public_halves(accounts):
    made = [accounts.signing_key(), accounts.rotate(), accounts.rotate()]
    assert accounts.signing_key() == made[-1]
    assert [(k.id, k.public) for k in accounts.signing_keys()] == [(k.id, k.public) for k in made]
    assert [k.current for k in accounts.signing_keys()] == [False, False, True]


def test_rotation_destroys_the_private_half(file):
    accounts = open_accounts(str(file))
    former = accounts.signing_key()
    assert former.private in bytes_of(file)
    current = accounts.rotate()
    assert former.private not in bytes_of(file)
    assert current.private in bytes_of(file)
    accounts.close()


def test_secrets_are_many_and_unlike(accounts):
    one, two = accounts.secret("one"), accounts.secret("two")
    assert len(one) == len(two) == 32
    assert one != two
    assert accounts.secret("one") == one
    assert hmac.digest(accounts._secret, b"comitium secret 1\none", "sha256") == one


# --- The file -----------------------------------------------------------------------------------------


def test_everything_is_there_after_a_restart(file):
    before = open_accounts(str(file))
    livia = before.register("Livia", PLAYER, key="one")
    made = before.invite("t1", "play", 1, livia.player, key="one")
    before.admit("t1", livia.player)
    key, secret = before.signing_key(), before.secret("x")
    before.close()
    after = open_accounts(str(file))
    assert after.principal(livia.token).player == livia.player
    assert after.invite_of(made.code) == after.invite("t1", "play", 1, livia.player, key="one") == made
    assert after.is_admitted("t1", livia.player)
    assert after.signing_key() == key
    assert after.secret("x") == secret
    with pytest.raises(KeySpent):
        after.register("Livia", PLAYER, key="one")
    after.close()


def test_the_file_holds_no_token_no_code_and_no_idempotency_key(file):
    accounts = open_accounts(str(file))
    livia = accounts.register("Livia", PLAYER, key="canary-of-register")
    other = accounts.issue(livia.player, PLAYER, within=PLAYER, key="canary-of-issue")
    made = accounts.invite("t1", "play", 1, livia.player, key="canary-of-invite")
    held = bytes_of(file)
    for secret in (livia.token, other.token, made.code):
        assert secret[4:].encode() not in held
        assert base64.urlsafe_b64decode(secret[4:47] + "=") not in held
    assert b"canary-of" not in held
    accounts.close()


@pytest.mark.skipif(os.name != "posix", reason="modes of files are POSIX")
def test_only_the_owner_may_read_the_file(file):
    previous = os.umask(0)
    try:
        accounts = open_accounts(str(file))
        accounts.register("Livia", PLAYER)
        paths = sorted(file.parent.glob("some.accounts*"))
        assert [path.name for path in paths] == ["some.accounts", "some.accounts-shm", "some.accounts-wal"]
        assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o600}
        accounts.close()
        file.chmod(0o644)
        open_accounts(str(file)).close()
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    finally:
        os.umask(previous)


def test_the_file_is_a_wal_that_is_synced_at_every_commit(file):
    accounts = open_accounts(str(file))
    pragma = accounts._db.pragma
    assert (pragma("journal_mode"), pragma("synchronous"), pragma("secure_delete")) == ("wal", 2, 1)
    assert file.read_bytes()[68:72] == b"CMTA"
    accounts.close()


def test_another_programs_file_is_left_alone(file):
    with sqlite3.connect(file) as other:
        other.execute("CREATE TABLE t (x)")
    other.close()
    before = file.read_bytes()
    with pytest.raises(AccountsFileError, match="something else"):
        open_accounts(str(file))
    assert file.read_bytes() == before


def test_a_newer_form_is_refused(file):
    open_accounts(str(file)).close()
    newer = apsw.Connection(str(file))
    newer.pragma("user_version", 2)
    newer.close()
    with pytest.raises(AccountsFileError, match="form 2"):
        open_accounts(str(file))


def test_what_is_no_file_says_so(tmp_path):
    (tmp_path / "text").write_text("This is a text and no database. " * 50)
    for at in (tmp_path / "text", tmp_path / "nowhere" / "accounts", tmp_path):
        with pytest.raises(AccountsFileError, match=re.escape(str(at))):
            open_accounts(str(at))


def test_what_another_process_revokes_is_noticed(file):
    accounts = open_accounts(str(file))
    livia = accounts.register("Livia", PLAYER)
    assert accounts.principal(livia.token)
    program = (
        "import sys; from server.accounts import open_accounts; a = open_accounts(sys.argv[1]);"
        "assert a.revoke(sys.argv[2], sys.argv[3]); a.close()"
    )
    root = Path(__file__).parents[2]
    subprocess.run([sys.executable, "-c", program, str(file), livia.player, livia.token_id], check=True, cwd=root)
    give_up = time.monotonic() + 20
    while accounts.principal(livia.token) and time.monotonic() < give_up:
        time.sleep(0.05)
    assert accounts.principal(livia.token) is None
    accounts.close()


def test_two_openers_share_one_key_and_one_secret(file):
    one, two = open_accounts(str(file)), open_accounts(str(file))
    assert one.signing_key() == two.signing_key()
    assert one.secret("x") == two.secret("x")
    livia = one.register("Livia", PLAYER, key="one")
    assert two.principal(livia.token)
    with pytest.raises(KeySpent):
        two.register("Livia", PLAYER, key="one")
    one.close()
    two.close()


# --- What is shown ------------------------------------------------------------------------------------


def prints(value):
    console = Console(file=StringIO(), width=500)
    console.print(value)
    return [repr(value), str(value), f"{value}", f"{[value]}", console.file.getvalue()]


def test_nothing_that_is_printed_shows_a_secret(accounts):
    livia = accounts.register("Livia", PLAYER)
    other = accounts.issue(livia.player, PLAYER, within=PLAYER)
    made = accounts.invite("t1", "play", 1, livia.player)
    key = accounts.signing_key()
    for value, secret, known in [
        (livia, livia.token, livia.player),
        (other, other.token, other.token_id),
        (made, made.code, "t1"),
        (key, repr(key.private), key.id),
        (accounts, repr(accounts._secret), "SqliteAccounts"),
    ]:
        for text in prints(value):
            assert secret not in text
            assert known in text
    assert "cmt_" not in repr(accounts.principal(livia.token))


def test_every_refusal_is_a_problem_with_words():
    kinds = AccountRefused.__subclasses__()
    assert len(kinds) == 6
    assert {kind.code for kind in kinds} <= KINDS.keys()


def test_refusals_fill_their_sentences(accounts):
    livia = accounts.register("Livia", PLAYER, key="one")
    accounts.invite("t1", "play", 1, livia.player, key="one")
    for refusal, ask in [
        (NameRefused, lambda: accounts.register("", PLAYER)),
        (NameRefused, lambda: accounts.register("x" * 41, PLAYER)),
        (NameRefused, lambda: accounts.register("x\0", PLAYER)),
        (KeySpent, lambda: accounts.register("Livia", PLAYER, key="one")),
        (ScopesRefused, lambda: accounts.issue(livia.player, ["operate"], within=PLAYER)),
        (UnknownPlayer, lambda: accounts.issue("p-nobody", PLAYER, within=PLAYER)),
        (InviteRefused, lambda: accounts.invite("t1", "watch", 1, livia.player)),
        (KeyReused, lambda: accounts.invite("t1", "play", 2, livia.player, key="one")),
    ]:
        with pytest.raises(refusal) as refused:
            ask()
        error = refused.value
        assert error.key in DETAILS
        problem = Problem(error.code, error.key, **error.params)
        assert problem.document("en")["detail"] != problem.document("ja")["detail"]


def test_scopes_are_written_in_one_way():
    assert words_of(SCOPES) == "arbitrate operate play read"
    assert scopes_of(words_of(SCOPES)) == SCOPES
    assert scopes_of("read rule_the_world") == {"read"}


def test_the_file_of_another_program_keeps_its_mode(tmp_path):
    stranger = tmp_path / "notes.txt"
    stranger.write_text("not a database, but long enough to look at" * 100)
    stranger.chmod(0o644)
    with pytest.raises(AccountsFileError):
        open_accounts(str(stranger))
    with pytest.raises(AccountsFileError, match="folder"):
        open_accounts(str(tmp_path))
    assert stranger.stat().st_mode & 0o777 == 0o644
