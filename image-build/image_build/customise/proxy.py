"""The proxy of containerd, the only program on a host that may ever fetch something from outside."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_interface

from agent.api.intent import ClusterIntent
from image_build.inputs.install_config import Proxy

DROPIN = "/etc/systemd/system/containerd.service.d/10-proxy.conf"

_ALWAYS = ("localhost", "127.0.0.0/8", "::1", ".svc", ".cluster.local")


def dropin(proxy: Proxy, intent: ClusterIntent) -> str:
    """systemd.exec(5) `Environment=`; empty without a proxy. May hold a password: for root alone."""
    if not (proxy.http_proxy or proxy.https_proxy):
        return ""
    variables = {
        "HTTP_PROXY": proxy.http_proxy,
        "HTTPS_PROXY": proxy.https_proxy,
        "NO_PROXY": ",".join(no_proxy(proxy, intent)),
    }
    lines = (f'Environment="{name}={_escaped(value)}"\n' for name, value in variables.items() if value)
    return f"[Service]\n{''.join(lines)}"


def no_proxy(proxy: Proxy, intent: ClusterIntent) -> tuple[str, ...]:
    """What the user excludes, and every internal name and network."""
    return tuple(dict.fromkeys((*filter(None, proxy.no_proxy.split(",")), *_ALWAYS, *_internal(intent))))


def _internal(intent: ClusterIntent) -> Iterator[str]:
    yield f".{intent.domain}"
    yield from intent.machine_networks
    yield from (network.cidr for network in intent.cluster_networks)
    yield from intent.service_networks
    yield from (intent.rendezvous_ip, intent.api_address)
    for host in intent.hosts:
        for interface in host.network.interfaces:
            for address in (*interface.ipv4.addresses, *interface.ipv6.addresses):
                yield str(ip_interface(address).network)


def _escaped(value: str) -> str:
    """% begins a specifier of systemd, and a percent-encoded password has some."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
