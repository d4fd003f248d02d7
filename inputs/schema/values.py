"""Field types of the input files: the syntax of single values, with findings for invalid ones.

`inputs.rules` checks whether values are consistent with each other.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import re
from typing import Annotated, LiteralString

from pydantic import AfterValidator
from pydantic_core import PydanticCustomError

_MAC = re.compile(r"(?:[0-9a-f]{2}:){5}[0-9a-f]{2}")
_INTERFACE = re.compile(r"[A-Za-z0-9._+-]{1,63}")
_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?")
_DEVICE = re.compile(r"/dev/(?:disk/by-path/)?[A-Za-z0-9_.:+-]+")
_SSH_TYPES = (
    "ssh-ed25519", "ssh-rsa", "ecdsa-sha2-nistp256", "ecdsa-sha2-nistp384", "ecdsa-sha2-nistp521",
    "sk-ssh-ed25519@openssh.com", "sk-ecdsa-sha2-nistp256@openssh.com",
)  # fmt: skip
_LONGEST_DOMAIN = 253
_LONGEST_HOSTNAME = 63


def invalid_value(code: LiteralString, rule: str, remedy: str) -> PydanticCustomError:
    """The error that a field type raises; `schema.check` turns it into a finding."""
    return PydanticCustomError(code, "{rule}", {"rule": rule, "remedy": remedy})


def _mac(value: str) -> str:
    mac = value.lower().replace("-", ":")
    if not _MAC.fullmatch(mac):
        raise invalid_value("mac-invalid", "Not a MAC address.", "Write six pairs of hex digits: 52:54:00:12:34:56.")
    if int(mac[:2], 16) & 1 or mac == "00:00:00:00:00:00":
        raise invalid_value(
            "mac-not-a-host", "No NIC has this MAC address: it is multicast or zero.", "Copy it from the NIC."
        )
    return mac


def _interface_name(value: str) -> str:
    """A name that is safe in keyfiles, paths and options. The rule `interface_types` has stricter limits."""
    if not _INTERFACE.fullmatch(value) or value in {".", ".."}:
        rule = "Not an interface name: 1 to 63 letters, digits, '.', '-', '_' or '+'."
        raise invalid_value("interface-name-invalid", rule, "Choose a name like eth0, bond0 or bond0.100.")
    return value


def _ip(value: str) -> str:
    try:
        return str(ipaddress.ip_address(value))
    except ValueError as error:
        raise invalid_value(
            "ip-invalid", f"Not an IP address: {error}.", "Write one address, like 192.0.2.10."
        ) from error


def _cidr(value: str) -> str:
    try:
        return str(ipaddress.ip_network(value))
    except ValueError as error:
        raise invalid_value("cidr-invalid", f"Not a network: {error}.", _cidr_remedy(value)) from error


def _cidr_remedy(value: str) -> str:
    try:
        return f"Write {ipaddress.ip_network(value, strict=False)}."
    except ValueError:
        return "Write a network in CIDR notation, like 192.0.2.0/24."


def is_address(value: str) -> bool:
    try:
        ipaddress.ip_address(value)
    except ValueError:
        return False
    return True


def is_dns_name(value: str) -> bool:
    return len(value) <= _LONGEST_DOMAIN and all(_LABEL.fullmatch(label) for label in value.split("."))


def _hostname(value: str) -> str:
    if value == "localhost" or value.startswith("localhost."):
        raise invalid_value("hostname-localhost", "A node cannot be called localhost.", "Choose a name of its own.")
    if not is_dns_name(value) or len(value) > _LONGEST_HOSTNAME:
        raise invalid_value(
            "hostname-invalid",
            "Not a host name that is valid as a node name.",
            "Use lower-case letters, digits and '-', in labels joined by dots, at most 63 characters together.",
        )
    return value


def _dns_domain(value: str) -> str:
    if not is_dns_name(value):
        rule = "Not a DNS domain: lower-case letters, digits and '-', in labels joined by dots."
        raise invalid_value("domain-invalid", rule, "Write a domain like example.com.")
    return value


def _cluster_name(value: str) -> str:
    if not _LABEL.fullmatch(value):
        rule = "Not a cluster name: it must be one DNS label of lower-case letters, digits and '-'."
        raise invalid_value("cluster-name-invalid", rule, "Choose a name like site-1.")
    return value


def _ntp_source(value: str) -> str:
    if is_address(value):
        return str(ipaddress.ip_address(value))
    if is_dns_name(value.lower()) and not re.fullmatch(r"[0-9.]+", value):
        return value.lower()
    raise invalid_value(
        "ntp-source-invalid", "Neither an IP address nor a domain name.", "Write an NTP server's name or address."
    )


def _device_name(value: str) -> str:
    if not _DEVICE.fullmatch(value):
        raise invalid_value(
            "device-name-invalid",
            "A disk is named by /dev/NAME or /dev/disk/by-path/NAME.",
            "Write a path like /dev/sda or /dev/disk/by-path/pci-0000:00:04.0.",
        )
    return value


def _ssh_keys(value: str) -> str:
    lines = [line.strip() for line in value.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    if not lines:
        raise invalid_value("ssh-key-invalid", "There is no key here.", "Leave sshKey out, or paste a public key.")
    for line in lines:
        _check_ssh_key(line)
    return "\n".join(lines)


def _check_ssh_key(line: str) -> None:
    remedy = "Paste the one line of a public key file, such as ~/.ssh/id_ed25519.pub."
    if "PRIVATE KEY" in line:
        raise invalid_value("ssh-key-private", "This is a private key.", remedy)
    kind, _, rest = line.partition(" ")
    if kind not in _SSH_TYPES:
        raise invalid_value("ssh-key-invalid", f"A public SSH key begins with one of {', '.join(_SSH_TYPES)}.", remedy)
    try:
        blob = base64.b64decode(rest.split(" ")[0], validate=True)
    except binascii.Error as error:
        raise invalid_value(
            "ssh-key-invalid", "The key's second word is not base64: it is cut or wrapped.", remedy
        ) from error
    name = kind.encode()
    if blob[: 4 + len(name)] != len(name).to_bytes(4, "big") + name:
        raise invalid_value("ssh-key-invalid", f"The key's second word does not hold a key of type {kind}.", remedy)


def _pull_secret(value: str) -> str:
    remedy = 'Leave pullSecret out (every image is on the ISO), or write {"auths": {}} as one quoted string.'
    try:
        secret = json.loads(value)
    except (ValueError, RecursionError):
        # Not "from error": the JSON error would quote the secret.
        raise invalid_value("pull-secret-invalid", "Not JSON.", remedy) from None
    if not isinstance(secret, dict) or not isinstance(secret.get("auths"), dict):
        raise invalid_value("pull-secret-invalid", "The JSON has no object `auths`.", remedy)
    return value


def _no_proxy(value: str) -> str:
    for entry in filter(None, (part.strip() for part in value.split(","))):
        if entry == "*" or is_dns_name(entry.removeprefix("*").removeprefix(".").lower()) or _is_network(entry):
            continue
        remedy = "Write domains, addresses and networks, joined by commas."
        raise invalid_value("no-proxy-invalid", f"{entry} is neither a domain nor an address nor a network.", remedy)
    return ",".join(filter(None, (part.strip() for part in value.split(","))))


def _is_network(text: str) -> bool:
    try:
        ipaddress.ip_network(text, strict=False)
    except ValueError:
        return False
    return True


Mac = Annotated[str, AfterValidator(_mac)]
InterfaceName = Annotated[str, AfterValidator(_interface_name)]
IpAddress = Annotated[str, AfterValidator(_ip)]
Cidr = Annotated[str, AfterValidator(_cidr)]
Hostname = Annotated[str, AfterValidator(_hostname)]
DnsDomain = Annotated[str, AfterValidator(_dns_domain)]
ClusterName = Annotated[str, AfterValidator(_cluster_name)]
NtpSource = Annotated[str, AfterValidator(_ntp_source)]
DeviceName = Annotated[str, AfterValidator(_device_name)]
SshKeys = Annotated[str, AfterValidator(_ssh_keys)]
PullSecret = Annotated[str, AfterValidator(_pull_secret)]
NoProxy = Annotated[str, AfterValidator(_no_proxy)]
