"""Which host of the intent this machine is, by its permanent MACs alone, and why.

This machine must have every MAC that a host lists. Of several such hosts, the one with the most MACs matches. Two with
the same number are a tie, which is a problem and no match.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from agent.model.host_documents import HostMatch
from agent.model.intent import HostIntent
from agent.model.problems import ProblemReport
from agent.network.nics import Nic

TYPING_MISTAKE = 2  # digits: one wrong, or two swapped
CLOSE_SHOWN = 3


class Listing:
    """The hosts by MAC, to match many machines: a thousand of them with a thousand hosts are a million pairs."""

    def __init__(self, hosts: Sequence[HostIntent]) -> None:
        self._hosts = hosts
        self._listed = [_listed(host) for host in hosts]
        self._by_mac: defaultdict[str, set[int]] = defaultdict(set)
        for index, macs in enumerate(self._listed):
            for mac in macs:
                self._by_mac[mac].add(index)

    def match(self, nics: Sequence[Nic]) -> HostMatch:
        """The match, or index -1 with the problems that kept it from being one; the order of `nics` does not matter."""
        here = {nic.mac: nic.name for nic in nics}
        mentioned = sorted({index for mac in here for index in self._by_mac.get(mac, ())})
        complete = [index for index in mentioned if self._listed[index].keys() <= here.keys()]
        most = max((len(self._listed[index]) for index in complete), default=0)
        best = [index for index in complete if len(self._listed[index]) == most]
        if len(best) == 1:
            return _matched(best[0], self._hosts[best[0]], self._listed[best[0]], here)
        problems = (_tie(best, self._hosts, nics),) if best else self._no_match(mentioned, nics)
        why = problems[0].title if problems else "The inputs list no hosts; every NIC gets an address by DHCP"
        return HostMatch(index=-1, why=why, seen_macs=tuple(sorted(here)), problems=problems)

    def _no_match(self, mentioned: Sequence[int], nics: Sequence[Nic]) -> tuple[ProblemReport, ...]:
        """A host with some of its MACs here lacks an interface; with none at all this machine is unmatched."""
        here = {nic.mac for nic in nics}
        partial = tuple(
            _missing(
                self._hosts[index], {mac: name for mac, name in self._listed[index].items() if mac not in here}, nics
            )
            for index in mentioned
        )
        return partial or ((_unmatched(nics, self._close(nics)),) if self._hosts else ())

    def _close(self, nics: Sequence[Nic]) -> list[str]:
        """MACs in the inputs that differ from one here by a typing mistake, the nearest first."""
        pairs = {
            (_differing(mac, nic.mac), index, mac, name)
            for nic in nics
            for index, macs in enumerate(self._listed)
            for mac, name in macs.items()
        }
        near = sorted(pair for pair in pairs if pair[0] <= TYPING_MISTAKE)[:CLOSE_SHOWN]
        return [f"{self._hosts[index].hostname} lists {mac} as {name}" for _, index, mac, name in near]


def match_host(nics: Sequence[Nic], hosts: Sequence[HostIntent]) -> HostMatch:
    """The match of one machine's `nics`, see `Listing.match`."""
    return Listing(hosts).match(nics)


def competing_hosts(index: int, nics: Sequence[Nic], hosts: Sequence[HostIntent]) -> list[HostIntent]:
    """Hosts that could match instead of host `index` if more NICs appeared: some of their MACs are here already."""
    here = {nic.mac for nic in nics}
    return [host for other, host in enumerate(hosts) if other != index and _listed(host).keys() & here]


def _listed(host: HostIntent) -> dict[str, str]:
    """MAC to logical name of every NIC of this host in the inputs."""
    modelled = {nic.mac: nic.name for nic in host.network.nics}
    return modelled | {interface.mac: interface.name for interface in host.interfaces}


def _matched(index: int, host: HostIntent, macs: Mapping[str, str], here: Mapping[str, str]) -> HostMatch:
    found = ", ".join(f"{mac} is {here[mac]}" for mac in sorted(macs))
    return HostMatch(
        index=index,
        why=f"hosts[{index}] ({host.hostname}): {found}",
        seen_macs=tuple(sorted(here)),
        names={name: here[mac] for mac, name in macs.items()},
    )


def _tie(best: Sequence[int], hosts: Sequence[HostIntent], nics: Sequence[Nic]) -> ProblemReport:
    names = " and ".join(f"hosts[{index}] ({hosts[index].hostname})" for index in best)
    return ProblemReport(
        code="host-ambiguous",
        title=f"This machine's MACs fit {names} equally well",
        detail=_seen(nics),
        remedy="Give each host only the MACs of its own NICs in agent-config.yaml and make a new ISO.",
    )


def _missing(host: HostIntent, missing: Mapping[str, str], nics: Sequence[Nic]) -> ProblemReport:
    names = ", ".join(f"{name} ({mac})" for mac, name in sorted(missing.items()))
    return ProblemReport(
        code="interface-missing",
        title=f"Host {host.hostname}: no such interface on the host: {names}",
        detail=_seen(nics),
        remedy="Correct the MAC in agent-config.yaml and make a new ISO, or plug in the NIC.",
    )


def _differing(one: str, other: str) -> int:
    """Digits; those of an InfiniBand NIC, whose address is longer, are all others."""
    if len(one) != len(other):
        return max(len(one), len(other))
    return sum(digit != opposite for digit, opposite in zip(one, other, strict=True))


def _unmatched(nics: Sequence[Nic], close: Sequence[str]) -> ProblemReport:
    return ProblemReport(
        code="host-unknown",
        title="No host in agent-config.yaml lists a MAC of this machine",
        detail="\n".join((_seen(nics), *(f"Almost the same: {words}" for words in close))),
        remedy="Add the host with one of these MACs and make a new ISO. Until then NICs get addresses by DHCP.",
    )


def _seen(nics: Sequence[Nic]) -> str:
    return "Seen here: " + (", ".join(str(nic) for nic in nics) or "no NIC at all")
