"""How a host becomes a node: it waits for its turn, gets a credential, and node0 approves its certificate request."""
