#!/bin/sh
# Everything that a support archive holds of one host, as a tar.gz on standard output. Runs as root, changes nothing, and
# needs no program beyond those of the live image: what is missing leaves an error in the file. Secrets are not taken out here.
# The agent runs it when its install has failed, `cluster0 gather` by SSH.
set -u
umask 077
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

# take FILE COMMAND...: both streams of the command, the last 8 MB of them, for at most 30 s.
take() {
    file=$work/$1
    shift
    mkdir -p "${file%/*}"
    timeout --kill-after=5 30 "$@" 2>&1 | tail -c 8000000 >"$file"
}

# copy FOLDER FILES...: the files that are there, under their own paths.
copy() {
    folder=$1
    shift
    for file in "$@"; do
        [ -f "$file" ] && take "$folder$file" cat "$file"
    done
}

take versions/os-release cat /etc/os-release
take versions/kernel uname -a
take versions/command-line cat /proc/cmdline
take versions/packages dpkg-query --show
take versions/kubeadm kubeadm version -o short
take versions/kubelet kubelet --version
take versions/containerd containerd --version
copy versions /usr/share/cluster0/release.json

take journal/this-boot journalctl --boot --no-pager --output=short-iso-precise --lines=50000
take journal/last-boot journalctl --boot=-1 --no-pager --output=short-iso-precise --lines=20000
take journal/kernel journalctl --dmesg --no-pager --output=short-iso-precise --lines=20000
take journal/cluster0 journalctl --boot --no-pager --output=short-iso-precise --unit='cluster0-*'
take journal/kubeadm journalctl --boot --no-pager --output=cat --unit=cluster0-bootstrap.service
take journal/kubelet journalctl --boot --no-pager --output=short-iso-precise --lines=20000 --unit=kubelet.service
take journal/containerd journalctl --boot --no-pager --output=short-iso-precise --lines=20000 --unit=containerd.service

take units/failed systemctl list-units --failed --no-pager --full
take units/all systemctl list-units --all --no-pager --full
take units/status systemctl status --no-pager --full 'cluster0-*' kubelet containerd NetworkManager chrony

copy states /run/cluster0/*.json /etc/cluster0/cluster.json /etc/cluster0/installed.json
for database in /var/lib/cluster0/node0.db /run/cluster0/state/var/lib/cluster0/node0.db; do
    # As text, so that secrets can be found in it; of the user's manifests only the names.
    [ -f "$database" ] && take "states$database.txt" python3 -c 'import sqlite3, sys
with sqlite3.connect(f"file:{sys.argv[1]}?mode=ro", uri=True) as database:
    for table in ("cluster", "infra_env", "host", "event"):
        for id, record in database.execute(f"SELECT id, CAST(record AS TEXT) FROM {table} ORDER BY id"):
            print(table, id, record)
    for (id,) in database.execute("SELECT id FROM manifest"):
        print("manifest", id)' "$database"
done

take network/addresses ip -details address
take network/routes ip route show table all
take network/routes6 ip -6 route show table all
take network/rules ip rule
take network/neighbours ip neighbour
take network/bridges bridge link
take network/sockets ss --tcp --udp --listening --numeric --processes
take network/devices nmcli --fields all device show
take network/connections nmcli --fields all connection show
take network/firewall nft list ruleset
take network/time chronyc -n tracking
take network/time-sources chronyc -n sources -v
copy network /etc/resolv.conf /etc/hosts /etc/hostname /etc/NetworkManager/system-connections/*

take disks/block-devices lsblk --output-all --json
take disks/file-systems blkid
take disks/mounts findmnt --all
take disks/space df --human-readable --print-type
take disks/partitions fdisk --list
take disks/by-path ls -l /dev/disk/by-path /dev/disk/by-id

take kubernetes/containers ctr --connect-timeout 1s --namespace k8s.io containers list
take kubernetes/tasks ctr --connect-timeout 1s --namespace k8s.io tasks list
copy kubernetes /run/cluster0/kubeadm.yaml /var/lib/kubelet/config.yaml /etc/kubernetes/manifests/*
for log in /var/log/pods/*/*/*.log; do
    [ -f "$log" ] && take "kubernetes$log" tail -c 500000 "$log"
done

take load/memory free --mebi
take load/processes ps -eo pid,ppid,stat,etimes,rss,pcpu,args --sort=-rss
take load/pressure tail -n +1 /proc/pressure/cpu /proc/pressure/io /proc/pressure/memory /proc/loadavg

tar -C "$work" -cz .
