"""The proxy settings of the services that fetch from outside: containerd, and programs of the kubelet and the agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from ipaddress import ip_interface

from agent.model.intent import ClusterIntent
from inputs.schema.install_config import Proxy

_UNITS = ("containerd.service", "kubelet.service", "cluster0-agent.service")
DROP_INS = tuple(f"/etc/systemd/system/{unit}.d/10-proxy.conf" for unit in _UNITS)

_ALWAYS = ("localhost", "127.0.0.0/8", "::1", ".svc", ".cluster.local")


def dropin(proxy: Proxy, intent: ClusterIntent, further: Iterable[str] = ()) -> str:
    """systemd.exec(5) `Environment=`; empty without a proxy. May contain a password: only root may read it.

    `further`: internal addresses that are not in the intent.
    """
    if not (proxy.http_proxy or proxy.https_proxy):
        return ""
    variables = {
        "HTTP_PROXY": proxy.http_proxy,
        "HTTPS_PROXY": proxy.https_proxy,
        "NO_PROXY": ",".join(no_proxy(proxy, intent, further)),
    }
    lines = (f'Environment="{name}={_escaped(value)}"\n' for name, value in variables.items() if value)
    return f"[Service]\n{''.join(lines)}"


def no_proxy(proxy: Proxy, intent: ClusterIntent, further: Iterable[str] = ()) -> tuple[str, ...]:
    """The user's exclusions, and every internal name, address and network."""
    return tuple(dict.fromkeys((*filter(None, proxy.no_proxy.split(",")), *_ALWAYS, *_internal(intent), *further)))


def _internal(intent: ClusterIntent) -> Iterator[str]:
    yield from (f".{intent.domain}", f"api.{intent.domain}", f"api-int.{intent.domain}")
    yield from intent.machine_networks
    yield from (network.cidr for network in intent.cluster_networks)
    yield from intent.service_networks
    yield from (intent.rendezvous_ip, intent.api_address)
    for host in intent.hosts:
        for interface in host.network.interfaces:
            for address in (*interface.ipv4.addresses, *interface.ipv6.addresses):
                yield str(ip_interface(address).network)
        yield host.hostname


def _escaped(value: str) -> str:
    """% starts a specifier of systemd, and a percent-encoded password contains it."""
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
