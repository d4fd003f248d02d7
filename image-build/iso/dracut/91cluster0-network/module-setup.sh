#!/bin/bash
# For fetching the root image over the network: NIC drivers, systemd-networkd, and the script that uses them. It is built into an archive of its own (network-part.sh), which only hosts without a medium load.
# moddir, systemdutildir and systemdsystemunitdir come from dracut.
# shellcheck disable=SC2154

check() {
    return 255 # only when asked for by name
}

depends() {
    echo cluster0
}

installkernel() {
    hostonly='' instmods \
        '=drivers/net/ethernet' '=drivers/net/phy' '=drivers/net/mdio' '=drivers/net/hyperv' \
        virtio_net vmxnet3 xen-netfront bonding 8021q bridge
}

install() {
    inst_multiple ip bash cat mkdir mount rm sed udevadm systemctl \
        "$systemdutildir/systemd-networkd" "$systemdutildir/systemd-networkd-wait-online" \
        "$systemdsystemunitdir/systemd-networkd.service" "$systemdsystemunitdir/systemd-networkd.socket"
    # For addresses that begin with https.
    inst_simple /etc/ssl/certs/ca-certificates.crt
    inst_script "$moddir/cluster0-fetch-medium" /usr/bin/cluster0-fetch-medium
    inst_simple "$moddir/cluster0-medium.service" "$systemdsystemunitdir/cluster0-medium.service"
    inst_simple "$moddir/bonding.conf" /etc/modprobe.d/bonding.conf
}
