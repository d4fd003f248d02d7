"""Reads `install-config.yaml` and `agent-config.yaml` of a directory and says everything that is wrong with them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent.api.payload import Payload
from image_build.inputs import unsupported
from image_build.inputs.agent_config import AgentConfig
from image_build.inputs.beside import Beside, read_beside
from image_build.inputs.defaults import complete
from image_build.inputs.findings import ConfigurationError, Finding, Severity
from image_build.inputs.install_config import InstallConfig
from image_build.inputs.read import Rewrite, empty, read
from image_build.inputs.rewrite import Rewriter
from image_build.inputs.rules import RULES
from image_build.inputs.rules.carried_images import images_are_carried
from image_build.inputs.rules.facts import Facts
from image_build.inputs.rules.release import release_fits
from image_build.inputs.schema_findings import Checked, Model, check
from image_build.inputs.unsupported import Unsupported

INSTALL_CONFIG = "install-config.yaml"
AGENT_CONFIG = "agent-config.yaml"


@dataclass(frozen=True)
class Inputs:
    """Both files, valid by themselves and together, with what was left to us filled in; and what lies beside them."""

    install: InstallConfig
    agent: AgentConfig
    beside: Beside = field(default_factory=Beside)


@dataclass(frozen=True)
class Examination:
    """Every finding, in the order of the files. `inputs` is None when there is an error among them."""

    inputs: Inputs | None
    findings: tuple[Finding, ...]
    facts: Facts
    beside: Beside = field(default_factory=Beside)

    def against(self, payload: Payload) -> Examination:
        """With what is found when they are held against the payload of a base ISO."""
        further = (*release_fits(self.facts, payload), *images_are_carried(self.beside.manifests, payload))
        findings = tuple(sorted((*self.findings, *further), key=_place))
        return replace(self, findings=findings, inputs=None if _has_errors(further) else self.inputs)

    def accepted(self) -> Inputs:
        """The inputs. Raises `ConfigurationError` with all findings."""
        if self.inputs is None:
            raise ConfigurationError(self.findings)
        return self.inputs


def examine(directory: Path) -> Examination:
    """Reads both files of `directory` and what lies beside them; never raises for what is in them."""
    install = _checked(directory / INSTALL_CONFIG, InstallConfig, Rewriter.install_config, unsupported.INSTALL_CONFIG)
    agent = _checked(directory / AGENT_CONFIG, AgentConfig, Rewriter.agent_config, unsupported.AGENT_CONFIG)
    facts = Facts(install.source, agent.source)
    fitting = [finding for rule in RULES for finding in rule(facts)]
    beside, found = read_beside(directory)
    findings = tuple(sorted((*install.findings, *agent.findings, *fitting, *found), key=_place))
    if not _has_errors(findings) and install.model is not None and agent.model is not None:
        return Examination(Inputs(*complete(install.model, agent.model, facts), beside), findings, facts, beside)
    return Examination(None, findings, facts, beside)


def _has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is Severity.ERROR for finding in findings)


def _checked(path: Path, model: type[Model], rewrite: Rewrite, rows: Iterable[Unsupported]) -> Checked[Model]:
    source, findings = read(path, rewrite)
    if source is None:
        return Checked(empty(path), None, tuple(findings))
    checked = check(source, model, rows)
    return replace(checked, findings=(*findings, *checked.findings))


def _place(finding: Finding) -> tuple[int, str, int, int]:
    """install-config.yaml first, then agent-config.yaml, then the others; each file from top to bottom."""
    order = [*(finding.file.endswith(name) for name in (INSTALL_CONFIG, AGENT_CONFIG)), True].index(True)
    return order, finding.file, finding.line, finding.column
