"""How hosts and the cluster go from state to state: tables of rules, and the engine that applies them."""
