"""Reads and checks the inputs of a directory: the two files or the manifests, and the extra files."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from agent.model.payload import PayloadManifest
from inputs import manifests
from inputs.document.findings import ConfigurationError, Finding, FindingSeverity
from inputs.document.normalize import Normalizer
from inputs.document.read import Normalize, empty, read
from inputs.document.source import Source
from inputs.extra_files.read import ExtraFiles, read_extra_files
from inputs.facts.facts import Facts
from inputs.manifests.agreement import contradictions
from inputs.manifests.assemble import assemble
from inputs.manifests.documents import is_present
from inputs.rules import INPUT_RULES
from inputs.rules.carried_images import images_are_carried
from inputs.rules.release import release_fits
from inputs.schema import unsupported
from inputs.schema.agent_config import AgentConfig
from inputs.schema.check import Checked, Model, check
from inputs.schema.install_config import InstallConfig, MachineNetworkEntry
from inputs.schema.unsupported import UnsupportedField

INSTALL_CONFIG = "install-config.yaml"
AGENT_CONFIG = "agent-config.yaml"


@dataclass(frozen=True)
class Inputs:
    """Both files, valid and consistent, with defaults filled in; and the extra files."""

    install: InstallConfig
    agent: AgentConfig
    extra_files: ExtraFiles = field(default_factory=ExtraFiles)


@dataclass(frozen=True)
class LoadResult:
    """All findings, in the order of the files. `inputs` is None if one of them is an error."""

    inputs: Inputs | None
    findings: tuple[Finding, ...]
    facts: Facts
    extra_files: ExtraFiles = field(default_factory=ExtraFiles)

    def checked_against(self, payload: PayloadManifest) -> LoadResult:
        """This result with the findings from a comparison with the payload of a base ISO."""
        return self.with_findings(
            (*release_fits(self.facts, payload), *images_are_carried(self.extra_files.manifests, payload))
        )

    def with_findings(self, further: Iterable[Finding]) -> LoadResult:
        """This result with `further` findings, all in the order of the files."""
        further = tuple(further)
        findings = tuple(sorted((*self.findings, *further), key=_place))
        return replace(self, findings=findings, inputs=None if _has_errors(further) else self.inputs)

    def valid_inputs(self) -> Inputs:
        """The inputs. Raises `ConfigurationError` with all findings."""
        if self.inputs is None:
            raise ConfigurationError(self.findings)
        return self.inputs


def load_inputs(directory: Path) -> LoadResult:
    """Reads both files of `directory`, or its manifests; with both, checks that they agree. Content never raises."""
    if not is_present(directory / manifests.DIRECTORY):
        return load_input_files(directory)
    if not any((directory / name).exists() for name in (INSTALL_CONFIG, AGENT_CONFIG)):
        return load_manifests(directory)
    return require_agreement(load_manifests(directory), load_input_files(directory))


def load_input_files(directory: Path) -> LoadResult:
    """Reads install-config.yaml and agent-config.yaml only."""
    install, found = _read(directory / INSTALL_CONFIG, Normalizer.install_config)
    agent, further = _read(directory / AGENT_CONFIG, Normalizer.agent_config)
    return _load(directory, install, agent, [*found, *further])


def load_manifests(directory: Path) -> LoadResult:
    """Reads the manifests only."""
    assembled = assemble(directory / manifests.DIRECTORY)
    return _load(directory, assembled.install, assembled.agent, assembled.findings)


def require_agreement(of_manifests: LoadResult, of_files: LoadResult) -> LoadResult:
    """The result of the manifests; every difference from the two files is an error."""
    if of_manifests.inputs is None or of_files.inputs is None:
        findings = {finding: None for finding in (*of_files.findings, *of_manifests.findings)}
        return replace(of_manifests, inputs=None, findings=tuple(findings))
    ours, theirs = of_manifests.inputs, of_files.inputs
    here, there = of_manifests.facts, of_files.facts
    differences = (
        *contradictions(ours.install, here.install.source, theirs.install, there.install.source),
        *contradictions(ours.agent, here.agent.source, theirs.agent, there.agent.source),
    )
    return replace(of_manifests, inputs=None, findings=differences) if differences else of_manifests


def _load(directory: Path, install_source: Source, agent_source: Source, found: Iterable[Finding]) -> LoadResult:
    """`found`: the findings of reading, before fields are checked."""
    install = _checked(install_source, InstallConfig, unsupported.INSTALL_CONFIG)
    agent = _checked(agent_source, AgentConfig, unsupported.AGENT_CONFIG)
    facts = Facts.of(install.source, agent.source)
    fitting = [finding for rule in INPUT_RULES for finding in rule(facts)]
    extra_files, further = read_extra_files(directory)
    findings = tuple(sorted((*found, *install.findings, *agent.findings, *fitting, *further), key=_place))
    if not _has_errors(findings) and install.model is not None and agent.model is not None:
        inputs = Inputs(*_complete(install.model, agent.model, facts), extra_files)
        return LoadResult(inputs, findings, facts, extra_files)
    return LoadResult(None, findings, facts, extra_files)


def _complete(install: InstallConfig, agent: AgentConfig, facts: Facts) -> tuple[InstallConfig, AgentConfig]:
    """Fill in the rendezvous address, machine network and hosts from other fields. The rules have checked that this is
    possible. Constant defaults are in the models."""
    if not install.networking.machine_network and facts.rendezvous_network is not None:
        machine_network = (MachineNetworkEntry(cidr=str(facts.rendezvous_network)),)
        networking = install.networking.model_copy(update={"machine_network": machine_network})
        install = install.model_copy(update={"networking": networking})
    if not agent.rendezvous_ip and facts.rendezvous is not None:
        agent = agent.model_copy(update={"rendezvous_ip": facts.rendezvous.value})
    if not agent.hosts and install.platform.baremetal is not None:
        agent = agent.model_copy(update={"hosts": install.platform.baremetal.hosts})
    return install, agent


def _has_errors(findings: Iterable[Finding]) -> bool:
    return any(finding.severity is FindingSeverity.ERROR for finding in findings)


def _read(path: Path, normalize: Normalize) -> tuple[Source, list[Finding]]:
    source, findings = read(path, normalize)
    return source or empty(path), findings


def _checked(source: Source, model: type[Model], rows: Iterable[UnsupportedField]) -> Checked[Model]:
    return Checked(source, None, ()) if source.is_absent else check(source, model, rows)


def _place(finding: Finding) -> tuple[int, str, int, int]:
    """install-config.yaml first, then agent-config.yaml, then the others; each file from top to bottom."""
    order = [*(finding.file.endswith(name) for name in (INSTALL_CONFIG, AGENT_CONFIG)), True].index(True)
    return order, finding.file, finding.line, finding.column
