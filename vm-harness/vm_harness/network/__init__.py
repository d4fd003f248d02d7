"""The lab's link: a network namespace, a bridge, VLAN ports."""
