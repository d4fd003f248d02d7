"""The GRUB script that `create image` overwrites."""

from __future__ import annotations

import pytest

from agent.model.problems import Problem
from image_build.iso_format.kargs import BootVariable, render


def test_the_embed_area_sets_every_variable_and_is_full() -> None:
    content = render({BootVariable.CLUSTER_ID: "c0ffee"}, size=64)
    assert content == b'set cluster0_id="c0ffee"\nset extra_kargs=""\n'.ljust(64, b"\n")


@pytest.mark.parametrize("value", ['a"b', "$x", "`reboot`", "a\nb", "a\\b", "ä"])
def test_kernel_arguments_that_grub_would_interpret_are_refused(value: str) -> None:
    with pytest.raises(Problem, match="kernel-arguments-invalid"):
        render({BootVariable.EXTRA_KARGS: value}, size=2048)


def test_ordinary_kernel_arguments_pass() -> None:
    arguments = "console=ttyS1,115200n8 ip=10.0.0.1::10.0.0.254:255.255.255.0 rd.luks=0 cluster0.shell"
    assert arguments.encode() in render({BootVariable.EXTRA_KARGS: arguments}, size=2048)


def test_kernel_arguments_that_are_too_long() -> None:
    with pytest.raises(Problem, match="room for 40"):
        render({BootVariable.EXTRA_KARGS: "x" * 40}, size=40)
