#!/bin/sh
# Starts the containerd of TREE on a state file system that was populated from STORE, twice, and asks it what it has.
#   containerd_on_store.sh TREE STORE STATE REFERENCE
# Run in new mount, PID and network namespaces: nothing outlives it.
set -eu
tree=$1 store=$2 state=$3 reference=$4

# A copy on write: the tree is a cached one. It is a mount point too, which runc needs to move its root.
mkdir "$state/over"
mount -t tmpfs tmpfs "$state/over"
mkdir "$state/over/upper" "$state/over/work" "$state/over/root"
mount -t overlay -o "lowerdir=$tree,upperdir=$state/over/upper,workdir=$state/over/work" overlay "$state/over/root"
tree=$state/over/root
mount -t proc proc "$tree/proc"
mount --rbind /sys "$tree/sys"
mount --rbind /dev "$tree/dev"
mount -t tmpfs tmpfs "$tree/run"
mkdir -p "$tree/run/cluster0/images" "$tree/mnt/state"
mount --bind "$store/snapshots" "$tree/run/cluster0/images"
mount --bind "$state/var/lib/containerd" "$tree/mnt/state"
ip link set lo up
cd "$tree/run" # paths of sockets are short

ctr() {
    # The first call waits until the socket is there.
    chroot "$tree" ctr --connect-timeout 60s --namespace k8s.io "$@"
}

list_by_cri() { # an empty gRPC message in, the reply's strings out
    printf '\0\0\0\0\0' | curl --silent --http2-prior-knowledge --unix-socket containerd/containerd.sock \
        --header 'content-type: application/grpc' --header 'te: trailers' --data-binary @- \
        http://localhost/runtime.v1.ImageService/ListImages | strings
}

for start in first second; do
    chroot "$tree" containerd --root /mnt/state >&2 &
    containerd=$!
    ctr images list --quiet | sed "s/^/$start ctr /"
    list_by_cri | sed "s/^/$start cri /"
    ctr run --rm "$reference" "$start" /bin/sh -c 'echo says hello' | sed "s/^/$start container /"
    kill "$containerd"
    wait "$containerd"
done
