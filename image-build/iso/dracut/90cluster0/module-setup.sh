#!/bin/bash
# The initramfs of the live ISO and of the installed disk: systemd, Ignition and our mounts; no shell hooks,
# no network, no lvm or md. `root=` is not used: cluster0-generator reads cluster0.* from the kernel command line.
# moddir, initdir, systemdutildir and systemdsystemunitdir come from dracut.
# shellcheck disable=SC2154

check() {
    return 255 # only when asked for by name
}

depends() {
    # Not "ignition", though its files are needed: it depends on the network modules, NIC drivers and all.
    echo systemd systemd-initrd systemd-udevd kernel-modules qemu
}

installkernel() {
    hostonly='' instmods iso9660 squashfs loop overlay ext4 =drivers/scsi/sr_mod =drivers/cdrom uas
}

install() {
    # Tools of Ignition, of systemd's generators (which fail without a message when ln is missing) and of our own scripts.
    inst_multiple bash sh ln cp mkdir rm sed cat grep tail chroot getent id sleep sync \
        fsck fsck.ext4 e2fsck losetup systemctl sulogin journalctl systemd-cat
    inst_simple "$systemdutildir/systemd-sulogin-shell"

    install_ignition
    install_own_files
}

install_ignition() {
    local packaged=${moddir%/*}/30ignition
    # In a subshell: it defines an install() of its own and takes its files from $moddir.
    (
        # shellcheck source=/dev/null
        . "$packaged/module-setup.sh"
        moddir=$packaged install
    )
    # Ignition runs this to decide whether to wait for a root disk and remount it: never, ours is an overlay.
    ln_r "$(find_binary true)" /usr/bin/is-live-image
    # Debian builds Ignition with SELinux relabelling; this satisfies it on a system that has none.
    ln_r "$(find_binary true)" /usr/sbin/setfiles
    inst_simple "$moddir/ignition-files.conf" "$systemdsystemunitdir/ignition-files.service.d/cluster0.conf"
    # Debian's Ignition cannot change kernel arguments; without this stage it starts a second sooner.
    ln_r /dev/null "$systemdsystemconfdir/ignition-kargs.service"
    inst_simple "$moddir/cluster0-presets.service" "$systemdsystemunitdir/cluster0-presets.service"
    ln_r "$systemdsystemunitdir/cluster0-presets.service" \
        "$systemdsystemunitdir/ignition-complete.target.requires/cluster0-presets.service"
}

install_own_files() {
    inst_script "$moddir/cluster0-generator" "$systemdutildir/system-generators/cluster0-generator"
    inst_script "$moddir/cluster0-emergency" /usr/bin/cluster0-emergency
    inst_simple "$moddir/emergency.service" "$systemdsystemunitdir/emergency.service"
}
