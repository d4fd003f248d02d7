"""Colours that mean the same everywhere."""

from __future__ import annotations

from agent.model.states import Severity

SEVERITY_COLOURS = {Severity.WARNING: "yellow", Severity.ERROR: "red", Severity.CRITICAL: "red"}
