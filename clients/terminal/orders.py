"""Short commands for what stands around any game: offers, answers, promises, gifts and talk. From a line to an action."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from clients.terminal.reading import Unclear, deed, pick
from clients.terminal.words import Words
from comitium_client import Ask, Update
from comitium_client.asks import deeds

Action = dict[str, Any]
Order = Callable[[Words, Update, str], Action]

TIMES = re.compile(r"\bx(\d+)\b", re.IGNORECASE)
UNLESS = re.compile(r"\bunless\b", re.IGNORECASE)


def of_type(now: Update, kind: str) -> list[Ask]:
    """The asks of that type."""
    return [ask for ask in now.asks if ask.type == kind]


def _need(words: Words, now: Update, kind: str) -> list[Ask]:
    found = of_type(now, kind)
    if not found:
        raise Unclear(words.own("unclear.now"))
    return found


def _usage(words: Words, kind: str) -> Unclear:
    return Unclear(words.own("unclear.usage", usage=words.own(f"usage.{kind}")))


def _split(words: Words, kind: str, rest: str, parts: int) -> list[str]:
    """The first words, and whatever follows as the last part."""
    found = rest.split(maxsplit=parts - 1)
    if len(found) < parts:
        raise _usage(words, kind)
    return found


def _seat(words: Words, typed: str) -> int:
    seat: int = pick(words, "seat", range(len(words.names)), typed)
    return seat


def _chips(words: Words, kind: str, typed: str) -> int:
    if not typed.isascii() or not typed.isdigit():
        raise _usage(words, kind)
    return int(typed)


# --- Offers -------------------------------------------------------------------------------------------


def offer(words: Words, now: Update, rest: str) -> Action:
    """`offer NAME CHIPS DEED [xTIMES] [unless DEED]`."""
    _need(words, now, "offer")
    who, amount, said = _split(words, "offer", rest, 3)
    payee = _seat(words, who)
    window = _window(words, now, payee)
    terms = _terms(words, now, window, said)
    return {"type": "offer", "payee": payee, "window": window, "amount": _chips(words, "offer", amount), **terms}


def amend(words: Words, now: Update, rest: str) -> Action:
    """`amend OFFER CHIPS [DEED [xTIMES] [unless DEED]]`."""
    number, amount, *said = _split(words, "amend", rest, 2)[:1] + rest.split(maxsplit=2)[1:]
    asked = _quoted(words, _need(words, now, "amend"), number)
    made = next(each for each in now.view["offers"] if each["id"] == asked["offer"])
    terms = {name: made[name] for name in ("does", "times", "never")}
    if said:
        terms = _terms(words, now, made["window"], said[0])
    return {"type": "amend", **asked, "amount": _chips(words, "amend", amount), **terms}


def _window(words: Words, now: Update, payee: int) -> str:
    """The decision that the seat has, or will have, and that takes an offer."""
    for ask in of_type(now, "offer"):
        who, window = ask.fields["payee"], ask.fields["window"]
        if payee in getattr(who, "one_of", ()):
            return str(getattr(window, "one_of", ("",))[0])
    raise Unclear(words.own("unclear.decides", seat=payee))


def _terms(words: Words, now: Update, window: str, said: str) -> dict[str, Any]:
    known, windows = deeds(window, now.view["windows"]), UNLESS.split(said, maxsplit=1)
    does, never = windows[0], windows[1] if len(windows) > 1 else ""
    times = TIMES.search(does)
    return {
        "does": deed(words, TIMES.sub("", does).strip(), known),
        "times": int(times[1]) if times else 1,
        "never": deed(words, never.strip(), known) if never.strip() else None,
    }


def _answer(kind: str) -> Order:
    def answer(words: Words, now: Update, rest: str) -> Action:
        """`accept, decline or withdraw [OFFER]`."""
        return {"type": kind, **_quoted(words, _need(words, now, kind), rest.strip())}

    return answer


def _quoted(words: Words, asks: Sequence[Ask], typed: str) -> dict[str, Any]:
    """The offer and version that the ask quotes; without a number, if there is only one."""
    quotes = [{name: getattr(ask.fields[name], "one_of", (None,))[0] for name in _quoting(ask)} for ask in asks]
    found = [quote for quote in quotes if not typed or str(quote["offer"]) == typed.lstrip("#")]
    if len(found) == 1:
        return found[0]
    shown = words.join([f"#{quote['offer']}" for quote in quotes])
    raise Unclear(words.own("unclear.which", values=shown))


def _quoting(ask: Ask) -> list[str]:
    return [name for name in ("offer", "version") if name in ask.fields]


# --- Words and gifts ----------------------------------------------------------------------------------


def promise(words: Words, now: Update, rest: str) -> Action:
    """`promise NAME [DEED:] TEXT`."""
    asks = _need(words, now, "promise")
    who, said = _split(words, "promise", rest, 2)
    action = {"type": "promise", "to": _seat(words, who)}
    before, colon, text = said.replace("：", ":").partition(":")
    if not colon:
        return {**action, "text": said, "does": None, "kind": None}
    return {**action, "text": text.strip() or before.strip(), **_promised(words, now, asks, before.strip())}


def _promised(words: Words, now: Update, asks: Sequence[Ask], said: str) -> dict[str, Any]:
    """The deed, by the first kind of decision that knows it."""
    trouble: Unclear | None = None
    for ask in asks:
        window = getattr(ask.fields["does"], "match", None)
        if window is not None:
            try:
                does = deed(words, said, deeds(window, now.view["windows"]))
            except Unclear as unclear:
                trouble = unclear
            else:
                return {"does": does, "kind": getattr(ask.fields["kind"], "one_of", (None,))[0]}
    raise trouble or Unclear(words.own("unclear.now"))


def pay(words: Words, now: Update, rest: str) -> Action:
    """`pay NAME CHIPS`."""
    _need(words, now, "pay")
    who, amount = _split(words, "pay", rest, 2)
    return {"type": "pay", "to": _seat(words, who), "amount": _chips(words, "pay", amount)}


def say(words: Words, now: Update, rest: str) -> Action:
    """`say TEXT`."""
    _need(words, now, "say")
    if not rest.strip():
        raise _usage(words, "say")
    return {"type": "say", "text": rest.strip()}


def whisper(words: Words, now: Update, rest: str) -> Action:
    """`whisper NAME[,NAME] TEXT`."""
    _need(words, now, "whisper")
    who, text = _split(words, "whisper", rest, 2)
    return {"type": "whisper", "to": [_seat(words, each) for each in who.split(",") if each], "text": text}


def leave(words: Words, now: Update, rest: str) -> Action:
    """`leave for good`."""
    _need(words, now, "leave")
    if rest.strip() != "for good":
        raise _usage(words, "leave")
    return {"type": "leave"}


ORDERS: Mapping[str, Order] = {
    "offer": offer,
    "amend": amend,
    "accept": _answer("accept"),
    "decline": _answer("decline"),
    "withdraw": _answer("withdraw"),
    "promise": promise,
    "pay": pay,
    "say": say,
    "whisper": whisper,
    "leave": leave,
}
