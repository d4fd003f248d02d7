"""Whether KVM works on this computer: with a `/dev/kvm`, it may still boot no guest, or only a small one."""
