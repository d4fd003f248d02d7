"""Names of what `create image` leaves in DIR; they are a contract with scripts."""

ISO = "agent.x86_64.iso"
AUTH = "auth"
RENDEZVOUS_IP = "rendezvousIP"
