"""Which kernel modules leave the image."""

from __future__ import annotations

from image_build.base_iso.kernel_modules import UNUSED_MODULES, patterns, read_dependencies, unused

MODULES_DEP = """\
kernel/sound/core/snd.ko.xz: kernel/sound/soundcore.ko.xz
kernel/sound/soundcore.ko.xz:
kernel/sound/pci/emu.ko.xz: kernel/sound/core/snd.ko.xz kernel/sound/soundcore.ko.xz
kernel/drivers/hid/hid-prodikeys.ko.xz: kernel/sound/core/snd.ko.xz kernel/sound/soundcore.ko.xz
kernel/drivers/net/ethernet/intel/ice/ice.ko.xz:
"""


def test_what_another_module_needs_stays() -> None:
    needs = read_dependencies(MODULES_DEP)
    assert unused(needs, ["kernel/sound/*"]) == ["kernel/sound/pci/emu.ko.xz"]
    assert unused(needs, ["kernel/sound/*", "kernel/drivers/hid/*"]) == [
        "kernel/drivers/hid/hid-prodikeys.ko.xz",
        "kernel/sound/core/snd.ko.xz",
        "kernel/sound/pci/emu.ko.xz",
        "kernel/sound/soundcore.ko.xz",
    ]


def test_comments_and_blank_lines_are_no_patterns() -> None:
    assert patterns("# Sound\n\nkernel/sound/*\n") == ["kernel/sound/*"]


def test_nics_disks_and_consoles_are_not_listed() -> None:
    """Some that real servers boot by, or that Kubernetes needs. The list must not take them with a pattern that is too
    wide."""
    servers: dict[str, list[str]] = {
        f"kernel/{path}.ko.xz": []
        for path in (
            "arch/x86/kvm/kvm", "arch/x86/crypto/aesni-intel", "block/bfq", "drivers/block/virtio_blk",
            "drivers/char/tpm/tpm_crb", "drivers/crypto/intel/qat/qat_4xxx/qat_4xxx", "drivers/gpu/drm/drm",
            "drivers/gpu/drm/i915/i915", "drivers/gpu/drm/virtio/virtio-gpu",
            "drivers/hid/hid-generic", "drivers/hwmon/coretemp",
            "drivers/infiniband/ulp/ipoib/ib_ipoib", "drivers/infiniband/ulp/iser/ib_iser", "drivers/md/dm-crypt",
            "drivers/md/raid1", "drivers/message/fusion/mptsas", "drivers/net/hyperv/hv_netvsc",
            "drivers/net/virtio_net", "drivers/net/vmxnet3/vmxnet3", "drivers/nvme/host/nvme-rdma",
            "drivers/nvme/host/nvme-tcp", "drivers/scsi/aacraid/aacraid", "drivers/scsi/hpsa",
            "drivers/scsi/lpfc/lpfc", "drivers/scsi/qla2xxx/qla2xxx", "drivers/scsi/virtio_scsi",
            "drivers/usb/host/xhci-pci", "drivers/usb/storage/usb-storage", "fs/ext4/ext4", "fs/isofs/isofs",
            "fs/overlayfs/overlay", "fs/squashfs/squashfs", "net/bridge/br_netfilter", "net/netfilter/nf_tables",
            "drivers/net/ethernet/broadcom/bnx2x/bnx2x", "drivers/net/ethernet/broadcom/tg3",
            "drivers/net/ethernet/intel/ice/ice", "drivers/net/ethernet/mellanox/mlx5/core/mlx5_core",
            "drivers/net/usb/cdc_ether", "drivers/net/bonding/bonding", "drivers/infiniband/hw/mlx5/mlx5_ib",
            "drivers/nvme/host/nvme", "drivers/scsi/megaraid/megaraid_sas", "drivers/scsi/mpt3sas/mpt3sas",
            "drivers/scsi/smartpqi/smartpqi", "drivers/ata/ahci", "drivers/usb/storage/uas",
            "drivers/gpu/drm/ast/ast", "drivers/gpu/drm/mgag200/mgag200", "drivers/char/ipmi/ipmi_si",
            "drivers/hid/usbhid/usbhid", "drivers/watchdog/iTCO_wdt", "drivers/edac/skx_edac", "fs/xfs/xfs",
        )
    }  # fmt: skip
    assert unused(servers, patterns(UNUSED_MODULES.read_text())) == []
