"""Field types with Kubernetes' own syntax: labels, taints, versions; and kernel arguments."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import AfterValidator

from inputs.schema.values import invalid_value, is_dns_name

_NAME = re.compile(r"[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_VERSION = re.compile(r"v?(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?)")
# One word for GRUB's script (image_build.iso_format.kargs) and for the installed system's menu (agent.install.grub).
_KERNEL_ARGUMENT = re.compile(r"[A-Za-z0-9._,:/=+@%-]+")
_OURS = ("cluster0.", "ignition.", "root=", "initrd=", "BOOT_IMAGE=")


def _label_key(value: str) -> str:
    prefix, slash, name = value.rpartition("/")
    if not _NAME.fullmatch(name) or (slash and not is_dns_name(prefix)):
        raise invalid_value(
            "label-invalid",
            "Not a label's key: [DNS domain/]name, the name of at most 63 letters, digits, '-', '_' and '.'.",
            "Write a key like rack or example.com/rack.",
        )
    return value


def _label_value(value: str) -> str:
    if value and not _NAME.fullmatch(value):
        rule = "Not a label's value: at most 63 letters, digits, '-', '_' and '.', beginning and ending with a letter"
        raise invalid_value("label-invalid", f"{rule} or digit.", "Shorten it, or leave out other characters.")
    return value


def _version(value: str) -> str:
    found = _VERSION.fullmatch(value)
    if not found:
        raise invalid_value("version-invalid", "Not a version of Kubernetes.", "Write three numbers, like 1.33.2.")
    return f"v{found[1]}"


def _kernel_argument(value: str) -> str:
    if not _KERNEL_ARGUMENT.fullmatch(value):
        rule = "The boot loader does not accept this as one word: letters, digits and . _ , : / = + @ % - only."
        raise invalid_value("kernel-argument-invalid", rule, "Write one argument per element, without quotes.")
    if value.startswith(_OURS):
        raise invalid_value("kernel-argument-ours", "cluster0 sets this argument itself.", "Remove it.")
    return value


LabelKey = Annotated[str, AfterValidator(_label_key)]
LabelValue = Annotated[str, AfterValidator(_label_value)]
KubernetesVersion = Annotated[str, AfterValidator(_version)]
KernelArgument = Annotated[str, AfterValidator(_kernel_argument)]
