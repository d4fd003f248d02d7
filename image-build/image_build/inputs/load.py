"""Reads `install-config.yaml` and `agent-config.yaml` of a directory and says everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from image_build.inputs import unsupported
from image_build.inputs.agent_config import AgentConfig
from image_build.inputs.findings import ConfigurationError, Finding, Severity
from image_build.inputs.install_config import InstallConfig
from image_build.inputs.read import empty, read
from image_build.inputs.rules import RULES
from image_build.inputs.rules.facts import Facts
from image_build.inputs.schema_findings import Checked, Model, check
from image_build.inputs.unsupported import Unsupported

INSTALL_CONFIG = "install-config.yaml"
AGENT_CONFIG = "agent-config.yaml"


@dataclass(frozen=True)
class Inputs:
    """Both files, valid by themselves and together."""

    install: InstallConfig
    agent: AgentConfig


@dataclass(frozen=True)
class Examination:
    """Every finding, in the order of the files. `inputs` is None when there is an error among them."""

    inputs: Inputs | None
    findings: tuple[Finding, ...]

    def accepted(self) -> Inputs:
        """The inputs. Raises `ConfigurationError` with all findings."""
        if self.inputs is None:
            raise ConfigurationError(self.findings)
        return self.inputs


def examine(directory: Path) -> Examination:
    """Reads both files of `directory`; never raises for what is in them."""
    install = _checked(directory / INSTALL_CONFIG, InstallConfig, unsupported.INSTALL_CONFIG)
    agent = _checked(directory / AGENT_CONFIG, AgentConfig, unsupported.AGENT_CONFIG)
    facts = Facts(install.source, agent.source)
    fitting = [finding for rule in RULES for finding in rule(facts)]
    findings = tuple(sorted((*install.findings, *agent.findings, *fitting), key=_place))
    usable = not any(finding.severity is Severity.ERROR for finding in findings)
    if usable and install.model is not None and agent.model is not None:
        return Examination(Inputs(install.model, agent.model), findings)
    return Examination(None, findings)


def _checked(path: Path, model: type[Model], rows: Iterable[Unsupported]) -> Checked[Model]:
    source, findings = read(path)
    if source is None:
        return Checked(empty(path), None, tuple(findings))
    checked = check(source, model, rows)
    return replace(checked, findings=(*findings, *checked.findings))


def _place(finding: Finding) -> tuple[bool, str, int, int]:
    """install-config.yaml first, each file from top to bottom."""
    return finding.file.endswith(AGENT_CONFIG), finding.file, finding.line, finding.column
