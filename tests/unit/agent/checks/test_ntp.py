"""chronyd's sources: a scripted chronyc here, the real one in tests/integration."""

from __future__ import annotations

from pathlib import Path

from agent.checks.ntp import ntp_sources
from tests.fakes.agent.machine import Programs, machine_in

# chronyc -c -N sources, chrony 4.3
SOURCES = """\
^,*,192.0.2.1,2,6,377,23,0.000012,0.000012,0.0001
^,?,ntp.example.com,0,6,0,4294967295,0.000000000,0.000000000,0.000000000
"""


async def test_chronyd_gets_only_the_time_sources_it_lacks(tmp_path: Path) -> None:
    programs = Programs(tmp_path / "bin")
    programs.add("chronyc", f'[ "$1" = add ] || printf "%s" "{SOURCES}"')
    sources = await ntp_sources(machine_in(tmp_path), ["192.0.2.1", "192.0.2.2"])
    assert [(source.source_name, source.source_state) for source in sources] == [
        ("192.0.2.1", "synced"),
        ("ntp.example.com", "unreachable"),
    ]
    assert programs.calls == [
        "chronyc -c -N sources",
        "chronyc add server 192.0.2.2 iburst",
        "chronyc -c -N sources",
    ]
