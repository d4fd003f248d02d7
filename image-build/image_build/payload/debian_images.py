"""Container images from Debian's programs: one layer each, with only what the program needs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from image_build.payload.oci import ImageConfig, Layer, write_layout

# A root without base-files lacks the links of the merged /usr, and with them the dynamic loader's path.
MERGED_USR = {name: f"usr/{name}" for name in ("bin", "lib", "lib64", "sbin")}

# The live image's kubelet and CNI plugins use iptables on nf_tables; kube-proxy must see the same rules.
NF_TABLES = {
    f"usr/sbin/{family}{suffix}": "xtables-nft-multi"
    for family in ("iptables", "ip6tables")
    for suffix in ("", "-save", "-restore")
}


ETC = {"etc/ethertypes", "etc/protocols", "etc/services"}


@dataclass(frozen=True)
class ImageRecipe:
    """`base`: a tar of a root directory; `program`: a file put at `at`; `links`: path to target."""

    entrypoint: tuple[str, ...]
    program: Path | None = None
    at: str = ""
    base: Path | None = None
    links: Mapping[str, str] = field(default_factory=dict)


def recipes(built: Path, tools: Path) -> dict[str, ImageRecipe]:
    """By image name. `built`: output of `debian-kubernetes.sh`; `tools`: a tar of kube-proxy's external programs."""

    def of_program(name: str, base: Path | None = None, links: Mapping[str, str] | None = None) -> ImageRecipe:
        return ImageRecipe((name,), built / "bin" / name, f"usr/local/bin/{name}", base, links or {})

    return {
        "kube-apiserver": of_program("kube-apiserver"),
        "kube-controller-manager": of_program("kube-controller-manager"),
        "kube-scheduler": of_program("kube-scheduler"),
        "kube-proxy": of_program("kube-proxy", tools, MERGED_USR | NF_TABLES),
        "etcd": ImageRecipe(("etcd",), base=built / "etcd.tar"),
        "pause": ImageRecipe(("/pause",), built / "bin/pause", "pause"),
        "busybox": ImageRecipe(("sh",), base=built / "busybox.tar"),
    }


def write_image(recipe: ImageRecipe, directory: Path) -> Path:
    """Make the image as an OCI layout in the new `directory`, and return it."""
    directory.mkdir()
    layer_file = directory / "layer.tar"
    with Layer.writing(layer_file) as layer:
        for path, target in recipe.links.items():
            layer.add_link(path, target)
        if recipe.base:
            layer.add_tar(recipe.base, keep=_belongs_in_a_container)
        if recipe.program:
            layer.add_file(recipe.at, recipe.program)
    write_layout(directory, layer_file, ImageConfig(recipe.entrypoint))
    return directory


def _belongs_in_a_container(name: str) -> bool:
    """Not configuration of the build host (mirror, name servers, host name), documentation or locales."""
    if name.startswith(("usr/share/", "usr/lib/x86_64-linux-gnu/gconv/")):
        return False
    return name.startswith(("usr/", "bin", "lib", "tmp")) or name in ETC
