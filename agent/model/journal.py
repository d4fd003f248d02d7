"""What our programs write to the journal."""

from __future__ import annotations

import logging
import sys
from types import TracebackType

from agent.model.printable import printable_lines

_INDENT = "    "


class JournalFormatter(logging.Formatter):
    """Messages of several lines are indented, so that a line feed from a host cannot begin a message of its own."""

    def format(self, record: logging.LogRecord) -> str:
        return printable_lines(super().format(record), indent=_INDENT)


def log_to_journal(form: str) -> None:
    """Everything that is logged, and the traceback of a bug, to standard error. `form`: as of `logging.Formatter`."""
    handler = logging.StreamHandler()
    handler.setFormatter(JournalFormatter(form))
    logging.basicConfig(level=logging.INFO, handlers=[handler])
    sys.excepthook = _log_bug


def say(text: str) -> None:
    """One message to standard error."""
    sys.stderr.write(f"{printable_lines(text, indent=_INDENT)}\n")


def _log_bug(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    logging.critical("This is a bug in cluster0.", exc_info=(kind, error, trace))
