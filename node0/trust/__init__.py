"""Who may call the service: how tokens are issued and verified; and what secrets are removed from its output."""
