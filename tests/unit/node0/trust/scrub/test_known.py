"""Which words of node0's files are secrets."""

from __future__ import annotations

from pathlib import Path

from agent.machine.files import Files
from agent.model import host_paths
from node0.trust.scrub import of_node0


def test_words_of_node0s_secret_files_are_removed_and_names_in_manifests_are_not(tmp_path: Path) -> None:
    files = Files(tmp_path)
    private = {
        f"{host_paths.NODE0_DIRECTORY}/user.token": "correct-horse-battery https://api.demo.example.com:6443",
        f"{host_paths.MANIFESTS_DIRECTORY}/a.yaml": "topology.kubernetes.io/zone 192.168.100.0/24 aB3aB3aB3aB3aB3aB3",
        host_paths.AGENT_TOKEN_FILE: "agents-own-battery-staple",
    }
    for path, text in private.items():
        files.at(path).parent.mkdir(parents=True, exist_ok=True)
        files.at(path).write_text(text)
        files.at(path).chmod(0o600)
    kept = "api.demo.example.com:6443 topology.kubernetes.io/zone 192.168.100.0/24"
    secrets = "correct-horse-battery aB3aB3aB3aB3aB3aB3 agents-own-battery-staple"
    assert of_node0(files).text(f"{kept} {secrets}") == f"{kept}{' [removed:known-secret]' * 3}"
