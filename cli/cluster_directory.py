"""Names of what `create image` and `create pxe-files` write into DIR. Scripts rely on them: they do not change."""

ISO = "agent.x86_64.iso"
RENDEZVOUS_IP = "rendezvousIP"
BOOT_ARTIFACTS = "boot-artifacts"
AUTH = "auth"

# In DIR/auth.
KUBECONFIG = "kubeconfig"
NODE0_CA = "ca.crt"
USER_TOKEN = "user.token"
WATCHER_TOKEN = "watcher.token"
INTENT = "cluster.json"
SECRETS = "secrets.json"
