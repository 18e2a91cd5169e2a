"""The ids of decisions. None of them ever comes back."""

from games.witch_trial.pieces import STAGES, Stage, Trial


def turn_window(turn: int) -> str:
    return f"turn:{turn}"


def plea_window(trial: Trial, stage: Stage) -> str:
    return f"plea:{trial.number}:{STAGES.index(stage) + 1}"


def objection_window(trial: Trial) -> str:
    """A motion lies on the table with all cards before it, so their number names it."""
    return f"objection:{trial.number}:{len(trial.laid)}"


def choice_window(trial: Trial) -> str:
    return f"choice:{trial.number}:{trial.choices}"


def proposal_window(trial: Trial) -> str:
    return f"proposal:{trial.number}:{STAGES.index(trial.stage) + 1}"


def answer_window(trial: Trial) -> str:
    return f"answer:{trial.number}:{STAGES.index(trial.stage) + 1}"
