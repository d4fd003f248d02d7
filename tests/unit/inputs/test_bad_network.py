"""Every network mistake that the inputs alone can show, in one directory: all reported at once, each at its line.

A comment `# wrong: CODE` marks each line that must have a finding.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.exit_codes import ExitCode
from cli.main import main
from inputs.load import AGENT_CONFIG, INSTALL_CONFIG
from tests.paths import DATA

BAD_NETWORK = DATA / "bad-network"
WRONG = re.compile(r"# wrong: ([a-z-]+)$")
Found = set[tuple[str, int, str]]


@pytest.mark.parametrize("command", [["validate"], ["create", "image"]])
@pytest.mark.parametrize(
    ("address", "code"), [("192.0.2.14", "rendezvous-on-worker"), ("192.0.2.99", "rendezvous-on-no-host")]
)
def test_every_mistake_is_reported_at_once(command: list[str], address: str, code: str, tmp_path: Path) -> None:
    agent_config = (BAD_NETWORK / AGENT_CONFIG).read_text()
    line = re.compile("^rendezvousIP: .*$", re.MULTILINE)
    (tmp_path / AGENT_CONFIG).write_text(line.sub(f"rendezvousIP: {address}  # wrong: {code}", agent_config))
    (tmp_path / INSTALL_CONFIG).write_text((BAD_NETWORK / INSTALL_CONFIG).read_text())
    expected = marked(tmp_path / AGENT_CONFIG) | marked(tmp_path / INSTALL_CONFIG)
    result = CliRunner().invoke(main, [*command, "--dir", str(tmp_path), "--output", "json"])
    assert result.exit_code == ExitCode.CONFIGURATION
    findings = json.loads(result.stdout)["findings"]
    assert {(finding["file"], finding["line"], finding["code"]) for finding in findings} == expected
    assert {path.name for path in tmp_path.iterdir()} == {AGENT_CONFIG, INSTALL_CONFIG}


def marked(path: Path) -> Found:
    lines = enumerate(path.read_text().splitlines(), 1)
    return {(str(path), number, match[1]) for number, line in lines if (match := WRONG.search(line))}
