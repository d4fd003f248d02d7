"""Names of what `create image` and `create pxe-files` leave in DIR; they are a contract with scripts."""

ISO = "agent.x86_64.iso"
AUTH = "auth"
RENDEZVOUS_IP = "rendezvousIP"
BOOT_ARTIFACTS = "boot-artifacts"
