"""The packages of `make package` on clean systems: the .deb in a new Debian 13, the wheel in a new venv.

The environment variable `DIST` names the directory of both.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from cli.exit_codes import ExitCode
from tests.fakes.image_build.base_iso import make_base_iso

pytestmark = [pytest.mark.package, pytest.mark.timeout(900)]

Run = Callable[..., subprocess.CompletedProcess[str]]

SUITE = "trixie"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"


def built(pattern: str) -> Path:
    (found,) = Path(os.environ["DIST"]).resolve().glob(pattern)
    return found


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Debian root with the package and its dependencies, without recommended packages."""
    directory = tmp_path_factory.mktemp("clean") / "root"
    package = built("cluster0_*.deb")
    argv = [
        "mmdebstrap", "--quiet", "--variant=apt", f"--customize-hook=copy-in {package} /tmp",
        f'--customize-hook=chroot "$1" apt-get install --yes --quiet --no-install-recommends /tmp/{package.name}',
        SUITE, str(directory),
    ]  # fmt: skip
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    return directory


@pytest.fixture
def run(root: Path) -> Run:
    """A command inside, with an environment and processes of its own."""
    separate = ("unshare", "--pid", "--fork", "--kill-child", f"--root={root}", "--mount-proc")

    def inside(*argv: str) -> subprocess.CompletedProcess[str]:
        return _run([*separate, "env", "-i", f"PATH={PATH}", "HOME=/root", *argv])

    return inside


def _run(argv: Sequence[str], cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300, cwd=cwd)


def test_from_inputs_to_an_iso(root: Path, run: Run) -> None:
    assert run("cluster0", "--version").stdout.startswith("cluster0, version ")
    assert run("cluster0", "create", "config", "--dir", "/root/site").returncode == ExitCode.DONE
    validated = run("cluster0", "validate", "--dir", "/root/site", "-o", "json")
    assert json.loads(validated.stdout)["findings"] == []
    make_base_iso(root / "root/base.iso")
    made = run("cluster0", "create", "image", "--dir", "/root/site", "--base-iso", "/root/base.iso")
    assert made.returncode == ExitCode.DONE, made.stderr
    assert (root / "root/site/agent.x86_64.iso").exists()


def test_failures_have_their_exit_codes(run: Run) -> None:
    assert run("cluster0", "wait-for", "install-complete", "--dir", "/root").returncode == ExitCode.INFRASTRUCTURE
    assert run("cluster0", "validate", "--dir", "/tmp").returncode == ExitCode.CONFIGURATION
    assert run("cluster0", "sing").returncode == ExitCode.USAGE


def test_every_command_has_help_and_a_manual_page(root: Path, run: Run) -> None:
    pages = sorted((root / "usr/share/man/man1").glob("cluster0*.1.gz"))
    assert len(pages) > 20
    for command in (["lab"], ["image", "build"], ["payload", "build"], ["gather"]):
        assert run("cluster0", *command, "--help").returncode == ExitCode.DONE
        assert root / f"usr/share/man/man1/cluster0-{'-'.join(command)}.1.gz" in pages


def test_the_ingredients_of_images_are_there(run: Run) -> None:
    code = (
        "import sys; sys.path.insert(0, '/usr/lib/cluster0')\n"
        "from image_build.base_iso.recipe import INGREDIENTS, UNITS\n"
        "from image_build.base_iso.programs import sources\n"
        "print(*(path.is_dir() for path in (INGREDIENTS / 'overlay', UNITS / 'agent', *sources())))"
    )
    assert set(run("python3", "-c", code).stdout.split()) == {"True"}


def test_a_swarm_installs(run: Run) -> None:
    done = run("cluster0", "lab", "swarm", "--hosts", "30")
    assert done.returncode == ExitCode.DONE, done.stderr
    assert "30 hosts: install started to the last host Done" in done.stdout


def test_a_recorded_machine_is_judged(run: Run) -> None:
    done = run("cluster0", "replay", "/usr/lib/cluster0/replay/machines/edge-box.json")
    assert done.returncode == ExitCode.DONE, done.stderr


def test_our_packages_are_not_on_the_default_import_path(run: Run) -> None:
    assert run("python3", "-c", "import agent").returncode != 0


def test_removed_it_leaves_nothing(root: Path, run: Run) -> None:
    removed = run("dpkg", "--purge", "cluster0")
    assert removed.returncode == 0, removed.stderr
    left = list((root / "usr").rglob("*cluster0*"))
    assert left == []


def test_the_wheel_in_a_venv_of_its_own(tmp_path: Path) -> None:
    venv, site = tmp_path / "venv", str(tmp_path / "site")
    assert _run([sys.executable, "-m", "venv", str(venv)]).returncode == 0
    installed = _run([str(venv / "bin/pip"), "install", "--quiet", str(built("cluster0-*.whl"))])
    assert installed.returncode == 0, installed.stderr
    cluster0 = str(venv / "bin/cluster0")
    assert _run([cluster0, "create", "config", "--dir", site]).returncode == ExitCode.DONE
    assert _run([cluster0, "validate", "--dir", site]).returncode == ExitCode.DONE
    (machine,) = venv.glob("lib/*/site-packages/replay/machines/edge-box.json")
    assert _run([cluster0, "replay", str(machine), "--role", "worker"]).returncode == ExitCode.DONE
    swarm = _run([cluster0, "lab", "swarm", "--hosts", "30"], cwd=tmp_path)
    assert swarm.returncode == ExitCode.DONE, swarm.stderr
