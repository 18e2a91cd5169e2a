"""The bot `random`: plays any game from its asks alone. It does at once what the table waits for, other things rarely."""

import random
from typing import Any

from clients.bots.bot import Move
from comitium_client import Ask, Entry, Text, Update, random_action

RARELY = 0.04
"""How often, in a position, it does something that nobody waits for."""

NEVER = frozenset({"leave", "abandon", "dispute", "vote_dispute", "withdraw_dispute", "rule_dispute"})
"""What is for people to decide."""

SAID = {
    "en": ("Hm.", "We shall see.", "Why not?", "As the dice fall."),
    "ja": ("ふむ。", "さて。", "それも一案。", "運しだい。"),
}


class Chancer:
    """Any member of any ask."""

    def __init__(self, rng: random.Random, language: str = "en") -> None:
        self._rng = rng
        self._said = SAID.get(language, SAID["en"])

    def hear(self, entry: Entry) -> None:
        """It remembers nothing."""

    def choose(self, now: Update) -> Move | None:
        if now.must:
            return self._any(now, must=True)
        playing = now.view["status"] == "playing"
        return self._any(now, must=False) if playing and self._rng.random() < RARELY else None

    def _any(self, now: Update, *, must: bool) -> Move | None:
        asks = [ask for ask in now.asks if ask.must == must and ask.type not in NEVER]
        for ask in self._rng.sample(asks, len(asks)):
            action = random_action([ask], self._rng, now.view["windows"])
            if action is not None:
                return Move({**action, **self._words(ask)})
        return None

    def _words(self, ask: Ask) -> dict[str, Any]:
        """Something to say where free text is asked for."""
        texts = {name: domain for name, domain in ask.fields.items() if isinstance(domain, Text)}
        return {name: self._rng.choice(self._said)[: domain.text] for name, domain in texts.items()}
