"""NetworkManager keyfiles: only key names that NetworkManager 1.42 and 1.52 both read. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from agent.model.network import Route, RouteRule
from agent.network.connections import Connection
from agent.network.ip_part import INFINITE, IpPart, Value

DIRECTORY = "/etc/NetworkManager/system-connections"

DHCP_UUID = "f1f6f2a1-2d0e-5b36-9c3f-7c1f6d0c8c39"
DHCP_EVERYWHERE = f"""\
[connection]
id=cluster0-dhcp
uuid={DHCP_UUID}
type=ethernet
multi-connect=3

[ipv4]
method=auto
dhcp-timeout={INFINITE}

[ipv6]
method=auto
"""


def render(connections: Iterable[Connection]) -> dict[str, str]:
    """File name to content."""
    return {f"{connection.name}.nmconnection": _file(connection) for connection in connections}


def _file(connection: Connection) -> str:
    sections: dict[str, Iterable[str]] = {
        **{name: _lines(section) for name, section in connection.sections.items()},
        **{f"ipv{family}": _ip(family, part) for family, part in connection.ip.items()},
    }
    return "\n".join(f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in sections.items())


def _lines(section: Mapping[str, Value]) -> Iterator[str]:
    for key, value in section.items():
        yield f"{key}={str(value).lower() if isinstance(value, bool) else value}"


def _ip(family: int, part: IpPart) -> Iterator[str]:
    yield f"method={part.config.method}"
    yield from (f"address{number}={address}" for number, address in enumerate(part.config.addresses, 1))
    for number, route in enumerate(part.routes, 1):
        yield from _route(number, route)
    yield from (f"routing-rule{number}={_rule(rule)}" for number, rule in enumerate(part.rules, 1))
    if part.dns.servers:
        yield "dns=" + _list(part.dns.servers)
        if part.dns.search:
            yield "dns-search=" + _list(part.dns.search)
    yield from _lines(part.settings(family))


def _list(items: Iterable[str]) -> str:
    return "".join(f"{item};" for item in items)


def _route(number: int, route: Route) -> Iterator[str]:
    """`routeN=destination[,gateway[,metric]]`; on link but with a metric, the gateway is written as 0.0.0.0 or ::."""
    unspecified = "::" if ":" in route.destination else "0.0.0.0"
    parts = [route.destination, route.gateway]
    if route.metric >= 0:
        parts = [route.destination, route.gateway or unspecified, str(route.metric)]
    yield f"route{number}=" + ",".join(part for part in parts if part)
    if route.table:
        yield f"route{number}_options=table={route.table}"


def _rule(rule: RouteRule) -> str:
    """NetworkManager requires `from` or `to`, so a rule for any packet has `from` everywhere."""
    everywhere = "::/0" if rule.family == 6 else "0.0.0.0/0"
    source = rule.source or ("" if rule.destination else everywhere)
    words = [f"priority {rule.priority}", source and f"from {source}", rule.destination and f"to {rule.destination}"]
    return " ".join([*filter(None, words), f"table {rule.table}"])
