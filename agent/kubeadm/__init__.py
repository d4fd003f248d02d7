"""kubeadm on any host: words that `init` and `join` share, joining, and removing what a run that did not end left."""
