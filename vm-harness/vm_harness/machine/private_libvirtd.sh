#!/bin/sh
# Runs libvirtd with private copies of its directories, so that a system libvirtd is never disturbed.
# Start it with `ip netns exec`: that gives a mount namespace of its own, where these bind mounts stay.
# usage: private_libvirtd.sh RUNTIME LOGS CACHE
set -eu
runtime=$1
logs=$2
cache=$3

mkdir -p /run/libvirt
mount --bind "$runtime/etc" /etc/libvirt
mount --bind "$runtime/lib" /var/lib/libvirt
mount --bind "$cache" /var/cache/libvirt
mount --bind "$runtime/run" /run/libvirt
mount --bind "$logs" /var/log/libvirt

exec libvirtd --config /etc/libvirt/libvirtd.conf --pid-file /run/libvirt/libvirtd.pid
