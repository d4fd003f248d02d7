"""Names of the files in `DIR/auth`; they are a contract with scripts."""

KUBECONFIG = "kubeconfig"
NODE0_CA = "ca.crt"
USER_TOKEN = "user.token"
WATCHER_TOKEN = "watcher.token"
INTENT = "cluster.json"
SECRETS = "secrets.json"
