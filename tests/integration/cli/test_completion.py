"""The completion scripts in the shells that read them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from cli.completion import SHELLS
from cli.main import COMMANDS, main

pytestmark = pytest.mark.integration

ASK = {
    "bash": """
source {script}
COMP_WORDS=(cluster0 wait-for boot) COMP_CWORD=2
_cluster0_completion cluster0
echo "${{COMPREPLY[@]}}"
""",
    "fish": "source {script}; complete --do-complete 'cluster0 wait-for boot'",
    # Without a terminal zsh completes nothing: the test calls the function that zsh would call.
    "zsh": """
autoload -U compinit && compinit -u -D
source {script}
print "$_comps[cluster0]"
COMP_WORDS='cluster0 wait-for boot' COMP_CWORD=2 _CLUSTER0_COMPLETE=zsh_complete cluster0
""",
}


@pytest.mark.parametrize("shell", SHELLS)
def test_each_shell_completes_commands_and_options(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    script = tmp_path / "completion"
    script.write_text(CliRunner().invoke(main, ["completion", shell]).stdout)
    options = ["--no-config"] if shell == "fish" else ["-f"] if shell == "zsh" else ["--norc"]
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "HOME": str(tmp_path)}
    argv = [shell, *options, "-c", ASK[shell].format(script=script)]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True, env=environment)
    assert "bootstrap-complete" in done.stdout
    assert "install-complete" not in done.stdout
    assert shell != "zsh" or "_cluster0_completion" in done.stdout


def test_completion_offers_all_commands_without_importing_them() -> None:
    environment = {**os.environ, "COMP_WORDS": "cluster0 ", "COMP_CWORD": "1", "_CLUSTER0_COMPLETE": "bash_complete",
                   "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}  # fmt: skip
    code = (
        "import sys; from cli.main import main\n"
        "try: main(prog_name='cluster0')\n"
        "finally: print([name for name in sys.modules if name in ('vm_harness', 'pydantic', 'aiohttp', 'rich')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=True)
    assert {line.removeprefix("plain,") for line in done.stdout.splitlines()} == {*COMMANDS, "lab", "[]"}
