"""NetworkManager's numbers for a device, in words. Source: its D-Bus API, NMDeviceState and NMDeviceStateReason."""

from __future__ import annotations

STATES = {
    0: "unknown",
    10: "unmanaged",
    20: "unavailable",
    30: "disconnected",
    40: "preparing",
    50: "configuring",
    60: "needs authentication",
    70: "getting its addresses",
    80: "checking its addresses",
    90: "waiting for secondaries",
    100: "activated",
    110: "deactivating",
    120: "failed",
}

# Those that a server's NIC can run into; any other is given by its number.
REASONS = {
    0: "",
    1: "",
    2: "",  # "now managed": how every device begins
    3: "it is not managed any more",
    4: "its configuration failed",
    5: "its addresses are another host's, or no server gave any",
    6: "the addresses expired",
    15: "no DHCP client could be started",
    16: "the DHCP client failed",
    17: "DHCP gave no address",
    36: "the device was removed",
    38: "its connection was removed",
    39: "it was disconnected by hand",
    40: "the link went away: is the cable plugged in?",
    50: "a connection it depends on failed",
    60: "another activation is under way",
    61: "its parent interface changed",
    64: "another host has its address",
    65: "the kernel does not support the address method",
}


def state_word(number: int) -> str:
    return STATES.get(number, f"state {number}")


def reason_word(number: int) -> str:
    return REASONS.get(number, f"reason {number}")
