"""Whatever is logged as an error while a test runs."""

import logging


class Errors(logging.Handler):
    """Everything that was logged as an error. A test that means it to happen looks at it and clears it."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.found: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.found.append(record)

    def clear(self) -> None:
        self.found.clear()

    def said(self) -> list[str]:
        """What was logged, with the exceptions."""
        form = logging.Formatter("%(name)s: %(message)s")
        return [form.format(record) for record in self.found]
