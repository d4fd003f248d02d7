"""Does KVM work on this computer? `/dev/kvm` may exist and still boot no guest, or only a small one."""
