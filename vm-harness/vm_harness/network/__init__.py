"""The lab's network: a namespace with a bridge, and a port for each VLAN."""
