"""The sentences that people read: refusals of a game or of the table around it, in the reader's language."""

from functools import cache
from importlib.resources import files

from games import texts
from games.core import Game, Refused
from games.texts import MissingText, Wording


@cache
def table_words(language: str) -> Wording:
    """The words of the table around any game."""
    return Wording("table", language, texts.load(files("games.table") / "texts.toml")[language])


def refusal(game: Game, error: Refused, language: str) -> str:
    """Why the rules do not allow it; the game's own sentence before the table's."""
    for words in (texts.wording(game, language), table_words(language)):
        try:
            return words.refuse(error)
        except MissingText:
            continue
    return error.code


def both(game: Game) -> dict[str, dict[str, str]]:
    """Every text that a client of this game needs: language, then key."""
    return {
        language: {**table_words(language).texts, **texts.wording(game, language).texts} for language in texts.LANGUAGES
    }
