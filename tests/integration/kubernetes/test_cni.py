"""The real bridge plugin takes what we configure: a pod has an address of each family, and a way out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agent.podnet.cni import conflist

pytestmark = [pytest.mark.integration, pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root")]

PLUGINS = Path("/usr/lib/cni")
# A host and, in it, a pod: namespaces that end with the script. The plugin's own notes go into a /var of this host.
SCRIPT = """
mount -t tmpfs none /var/lib
unshare --net sleep 60 &
pod=$!
trap "kill $pod" EXIT
until [ "$(readlink /proc/$pod/ns/net)" != "$(readlink /proc/$$/ns/net)" ]; do :; done
export CNI_CONTAINERID=pod CNI_NETNS=/proc/$pod/ns/net CNI_IFNAME=eth0 CNI_PATH={plugins}
CNI_COMMAND=ADD {plugins}/bridge <{config} >&2
nsenter --net=$CNI_NETNS ip -json -4 route show default
nsenter --net=$CNI_NETNS ip -json -6 route show default
"""


@pytest.mark.parametrize(
    ("cidrs", "gateways"),
    [
        (["10.128.2.0/23"], [["10.128.2.1"], []]),
        (["fd01::/64"], [[], ["fd01::1"]]),
        (["10.128.2.0/23", "fd01::/64"], [["10.128.2.1"], ["fd01::1"]]),
    ],
    ids=["ipv4", "ipv6", "dual-stack"],
)
def test_a_pod_has_a_default_route_of_each_family(cidrs: list[str], gateways: Any, tmp_path: Path) -> None:
    document = conflist(cidrs)
    config = tmp_path / "bridge.json"
    config.write_text(json.dumps({**document["plugins"][0], "cniVersion": document["cniVersion"], "name": "test"}))
    script = SCRIPT.format(plugins=PLUGINS, config=config)
    done = subprocess.run(
        ["unshare", "--net", "--mount", "sh", "-ec", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert [[route["gateway"] for route in json.loads(line)] for line in done.stdout.splitlines()] == gateways
