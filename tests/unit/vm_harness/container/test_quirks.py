"""Files that the lab puts above the root image, by what the computer lacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.paths import REPOSITORY
from vm_harness.container import quirks
from vm_harness.container.control_groups import Hierarchies

CONFIG = REPOSITORY / "image-build/iso/overlay" / quirks.CONTAINERD
UNIFIED = Hierarchies(Path("/sys/fs/cgroup"), ())
HYBRID = Hierarchies(Path("/sys/fs/cgroup/unified"), (Path("/sys/fs/cgroup/cpu"),))


@pytest.fixture
def image(tmp_path: Path) -> Path:
    target = tmp_path / "image" / quirks.CONTAINERD
    target.parent.mkdir(parents=True)
    target.write_text(CONFIG.read_text())
    return tmp_path / "image"


def containerd_config(image: Path, hierarchies: Hierarchies) -> str:
    layer = image.with_name("layer")
    quirks.write_layer(layer, image, hierarchies)
    return (layer / quirks.CONTAINERD).read_text()


def test_a_computer_that_lacks_nothing_gets_the_configuration_of_the_image(
    image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quirks, "has_capability", lambda number: True)
    assert containerd_config(image, UNIFIED) == CONFIG.read_text()


def test_containerd_manages_control_groups_of_version_1_itself(image: Path) -> None:
    assert "SystemdCgroup = false" in containerd_config(image, HYBRID)


def test_containerd_leaves_oom_scores_alone_without_the_capability(
    image: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(quirks, "has_capability", lambda number: number != quirks.CAP_SYS_RESOURCE)
    assert "restrict_oom_score_adj = true" in containerd_config(image, UNIFIED)


def test_every_program_of_the_lab_has_its_place_in_the_layer(image: Path) -> None:
    containerd_config(image, UNIFIED)
    for target in quirks.PROGRAMS.values():
        assert (image.with_name("layer") / target).stat().st_mode & 0o111
