"""How a host becomes a node: whose turn it is, a credential of its own, and the approval of what it signs with it."""
