#!/bin/sh
# Imports container images with its own containerd, inside the root tree that will run them later.
#   import-images.sh TREE STORE PAYLOAD [REFERENCE ARCHIVE]…
# STORE becomes containerd's root directory; each ARCHIVE, a path in PAYLOAD, holds the image REFERENCE.
# Run in new mount and PID namespaces: when this script ends, so do containerd and the mounts.
set -eu

tree=$1 store=$2 payload=$3
shift 3

# The tree is in the cache and must not change.
mount --bind "$tree" "$tree"
mount -o remount,bind,ro "$tree"
mount -t tmpfs tmpfs "$tree/run"
mount -t tmpfs tmpfs "$tree/mnt"
mkdir "$tree/mnt/store" "$tree/mnt/payload" "$tree/mnt/state"
mount --bind "$store" "$tree/mnt/store"
mount --bind "$payload" "$tree/mnt/payload"
mount -t proc proc "$tree/proc"
mount --bind /dev "$tree/dev"

cat >"$tree/mnt/config.toml" <<'EOF'
version = 2
root = "/mnt/store"
state = "/mnt/state"
disabled_plugins = [
    "io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt", "io.containerd.snapshotter.v1.native",
    "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs",
    "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.blockfile",
]
[grpc]
address = "/mnt/containerd.sock"
EOF
TMPDIR=/mnt chroot "$tree" containerd --config /mnt/config.toml &
containerd=$!

ctr() {
    # The first call waits until the socket is there.
    TMPDIR=/mnt chroot "$tree" ctr --address /mnt/containerd.sock --connect-timeout 60s --namespace k8s.io "$@"
}

while [ $# -gt 0 ]; do
    ctr images import --local --snapshotter overlayfs --discard-unpacked-layers "/mnt/payload/$2"
    # The labels that the CRI plugin sets on images it pulls; pinned: kubelet's garbage collection never removes them.
    ctr images label "$1" io.cri-containerd.image=managed io.cri-containerd.pinned=pinned
    shift 2
done
# Unpacked layers are garbage now. Collection would run later; here it must finish before we stop.
ctr content prune references
ctr images list --quiet >"$store/images.txt"

kill "$containerd"
wait "$containerd"
