"""Playing at one table: a line in, a screen and perhaps an action out. No I/O, so it can be tested line by line.

help  board  can  offers  promises  rules  quit         what one may look at
1 red  |  place innocent                                an action by its number or name, with its values
offer marcus 3 innocent x2 unless guilty                and the other short commands of `orders`
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from clients.terminal.board import board, offers, promises
from clients.terminal.form import Form, choices
from clients.terminal.lines import Line, Shown
from clients.terminal.orders import ORDERS
from clients.terminal.reading import Unclear
from clients.terminal.telling import Teller
from clients.terminal.words import Words
from comitium_client import Ask, OneOf, Update

QUIT = frozenset({"quit", "q", "exit"})
CANCEL = "."

BY_NAME = ("abandon",)
"""What nobody should do by a wrong number."""


class Reply(msgspec.Struct, frozen=True):
    """What a line leads to: something to show, an action to send, or the end."""

    shown: list[Shown] = []
    action: Mapping[str, Any] | None = None
    leaves: bool = False


class Desk:
    """One reader at one table; without a seat he only looks."""

    def __init__(self, words: Words, teller: Teller) -> None:
        self.words = words
        self._teller = teller
        self._now: Update | None = None
        self._form: Form | None = None
        self._looks: Mapping[str, Callable[[], list[Shown]]] = {
            "help": self._help, "board": self._board, "can": self._can, "offers": self._offers,
            "promises": self._promises, "rules": self._rules,
        }  # fmt: skip

    @property
    def now(self) -> Update:
        if self._now is None:
            raise RuntimeError("Nothing has been seen of the table yet.")
        return self._now

    # --- What comes from the table --------------------------------------------------------------------

    def see(self, update: Update) -> list[Shown]:
        """What to show for an update: the board at first, then what happened, and what one may do when it is one's turn."""
        before, self._now = self._now, update
        told = self._teller.tell(update)
        if before is None or update.entry is None:
            return [*self._board(), *self._turn(before)]
        if self._form is not None and update.since != before.since:
            self._form = None
            told.append(Line(self.words.own("form.changed"), "wrong"))
        return [*told, *self._turn(before)]

    def _turn(self, before: Update | None) -> list[Shown]:
        if self.now.over:
            return []
        fresh = before is None or before.must != self.now.must
        return self._must() if self.now.must and fresh else []

    # --- What comes from the keyboard -----------------------------------------------------------------

    def line(self, typed: str) -> Reply:
        """What the line leads to."""
        typed = typed.strip()
        try:
            return self._command(typed) if self._form is None else self._answer(self._form, typed)
        except Unclear as unclear:
            return Reply([Line(str(unclear), "wrong"), *self._question()])

    def _command(self, typed: str) -> Reply:
        word, _, rest = typed.partition(" ")
        word = word.lower()
        if not word:
            return Reply()
        if word in QUIT:
            return Reply(leaves=True)
        if word in self._looks:
            return Reply(self._looks[word]())
        if typed[0] in '"「':
            word, rest = "say", typed.strip('"「」')
        if word in ORDERS:
            return self._send(ORDERS[word](self.words, self.now, rest))
        return self._begin(self._ask(word, rest), rest)

    def _ask(self, word: str, rest: str) -> Ask:
        """The action that the word names: by number, or by type; of several of one type the first that fits."""
        listed = self._listed()
        if word.isdigit() and 1 <= int(word) <= len(listed):
            return listed[int(word) - 1]
        alike = [ask for ask in self.now.asks if ask.type == word or self.words.action(ask.type).lower() == word]
        if not alike:
            is_action = self.words.text(f"action.{word}") is not None
            raise Unclear(self.words.own("unclear.now" if is_action else "unclear.command", typed=word))
        return next((ask for ask in alike if self._fits(ask, rest)), alike[0])

    def _fits(self, ask: Ask, rest: str) -> bool:
        try:
            Form(self.words, ask, self.now.view["windows"]).put_all(rest)
        except Unclear:
            return False
        return True

    def _begin(self, ask: Ask, rest: str) -> Reply:
        form = Form(self.words, ask, self.now.view["windows"])
        form.put_all(rest.strip())
        self._form = form
        return self._go_on()

    def _answer(self, form: Form, typed: str) -> Reply:
        """An answer to the question; unless it is for free text, one may also look at something, or do something else."""
        if typed == CANCEL:
            self._form = None
            return Reply([Line(self.words.own("form.cancelled"), "quiet")])
        word = typed.partition(" ")[0].lower()
        if not form.takes_text and (word in QUIT or word in self._looks):
            reply = self._command(typed)
            return Reply([*reply.shown, *self._question()], leaves=reply.leaves)
        if not form.takes_text and (word in ORDERS or any(ask.type == word for ask in self.now.asks)):
            self._form = None
            return self._command(typed)
        form.put(typed)
        return self._go_on()

    def _go_on(self) -> Reply:
        if self._form is None or self._form.field is not None:
            return Reply(self._question())
        form, self._form = self._form, None
        return self._send(form.action)

    def _question(self) -> list[Shown]:
        return [] if self._form is None else [Line(self._form.question(), "you")]

    def _send(self, action: Mapping[str, Any]) -> Reply:
        """Only what an ask allows is sent; a field that does not fit is named."""
        windows = self.now.view["windows"]
        if any(ask.allows(action, windows) for ask in self.now.asks):
            return Reply(action=action)
        alike = [ask for ask in self.now.asks if ask.type == action["type"]]
        for name in action:
            if name != "type" and alike and not any(_allows(ask, action, name, windows) for ask in alike):
                field, domain = self.words.field(action["type"], name), alike[0].fields.get(name)
                may = "" if domain is None else choices(self.words, name, domain)
                raise Unclear(f"{self.words.own('unclear.field', field=field)} {may}".strip())
        raise Unclear(self.words.own("unclear.now"))

    # --- Screens --------------------------------------------------------------------------------------

    def _listed(self) -> list[Ask]:
        """The actions with a number: what the table waits for first, then others that have no short command."""
        others = [ask for ask in self.now.asks if not ask.must and ask.type not in (*ORDERS, *BY_NAME)]
        return [*self.now.must, *others]

    def _board(self) -> list[Shown]:
        talk = [Line(self.words.own("board.talk")), *self._teller.talk] if self._teller.talk else []
        return [*board(self.words, self.now.view), *talk]

    def _must(self) -> list[Shown]:
        lines = [self._option(number, ask) for number, ask in enumerate(self.now.must, 1)]
        return [Line(self.words.own("desk.turn"), "you"), *lines]

    def _can(self) -> list[Shown]:
        lines: list[Shown] = [self._option(number, ask) for number, ask in enumerate(self._listed(), 1)]
        short = [word for word in (*ORDERS, *BY_NAME) if any(ask.type == word for ask in self.now.asks)]
        if short:
            lines.append(Line(self.words.own("desk.short", values=self.words.join(short)), "quiet", 2))
        return lines or [Line(self.words.own("desk.nothing"), "quiet")]

    def _option(self, number: int, ask: Ask) -> Line:
        several = sum(other.type == ask.type for other in self._listed()) > 1
        fields = [
            f"{self.words.field(ask.type, name)}: {choices(self.words, name, domain)}"
            for name, domain in ask.fields.items()
            if several or not (isinstance(domain, OneOf) and len(domain.one_of) == 1)
        ]
        detail = f" ({'; '.join(fields)})" if fields else ""
        return Line(f"{number}  {self.words.action(ask.type)} [{ask.type}]{detail}", "plain", 2)

    def _offers(self) -> list[Shown]:
        return list(offers(self.words, self.now.view)) or [Line(self.words.own("desk.no_offers"), "quiet")]

    def _promises(self) -> list[Shown]:
        return list(promises(self.words, self.now.view)) or [Line(self.words.own("desk.no_promises"), "quiet")]

    def _rules(self) -> list[Shown]:
        text = self.words.text("rules") or self.words.own("desk.no_rules")
        return [Line(line) for line in text.splitlines()]

    def _help(self) -> list[Shown]:
        looks = [Line(self.words.own(f"help.{word}"), indent=2) for word in (*self._looks, "quit", "number", "cancel")]
        usages = [Line(self.words.own(f"usage.{word}"), indent=2) for word in ORDERS]
        return [*looks, Line(self.words.own("help.orders")), *usages]


def _allows(ask: Ask, action: Mapping[str, Any], name: str, windows: Any) -> bool:
    """Whether the ask has that field and allows its value."""
    alone = Ask(ask.type, ask.must, {name: ask.fields[name]}) if name in ask.fields else None
    return alone is not None and alone.allows({"type": ask.type, name: action[name]}, windows)
