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


def game_words(game: Game, language: str) -> Wording:
    """The game's words. A game that somebody only tries out may have none."""
    try:
        return texts.wording(game, language)
    except (MissingText, FileNotFoundError):
        return Wording(game.name, language, {})


def refusal(game: Game | None, error: Refused, language: str) -> str:
    """Why the rules do not allow it; the game's own sentence before the table's."""
    own = () if game is None else (game_words(game, language),)
    for words in (*own, table_words(language)):
        try:
            sentence: str = words.refuse(error)
        except MissingText:
            continue
        return sentence
    return error.code


def both(game: Game) -> dict[str, dict[str, str]]:
    """Every text that a client of this game needs: language, then key."""
    return {
        language: {**table_words(language).texts, **game_words(game, language).texts} for language in texts.LANGUAGES
    }
