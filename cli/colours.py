"""Colours with the same meaning in all commands."""

from __future__ import annotations

from agent.model.states import EventSeverity

SEVERITY_COLOURS = {EventSeverity.WARNING: "yellow", EventSeverity.ERROR: "red", EventSeverity.CRITICAL: "red"}
