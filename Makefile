# The two commands of README.md are `make demo` and `make test`; `make help` lists the others.
#
# Root is needed for what touches root file systems, network namespaces and libvirt; sudo is used where we are not root.

SUDO := $(if $(filter 0,$(shell id -u)),,sudo --preserve-env=CLUSTER0_ACCEL,CLUSTER0_CACHE,CLUSTER0_E2E_INSTALL,CI,DIST)
CLUSTER0 = $(SUDO) .venv/bin/cluster0
PYTEST = $(SUDO) .venv/bin/pytest
DEMO = demo

# The interpreter is Debian's own: libvirt's and GObject's bindings are Debian packages.
PYTHON = /usr/bin/python3

# A recipe with a pipe fails when any of its programs does.
SHELL = /bin/bash
.SHELLFLAGS = -o pipefail -c

# What `make test` needs, beside Python packages.
TEST_PACKAGES = python3-venv keepalived containernetworking-plugins python3-gi gir1.2-nm-1.0 dbus network-manager iproute2 chrony faketime shellcheck codespell \
	python3-libvirt ignition xorriso mtools gdisk e2fsprogs dosfstools systemd openssh-client openssh-server mandoc zsh fish gnupg git curl binutils
# What building the payload and the ISO needs.
BUILD_PACKAGES = mmdebstrap squashfs-tools skopeo containerd runc grub-pc-bin grub-efi-amd64-bin grub-common \
	docker-registry dpkg-dev rsync zstd cpio
# What the lab needs.
LAB_PACKAGES = qemu-system-x86 qemu-utils ovmf ipxe-qemu dnsmasq-base libvirt-daemon-system libvirt-clients systemd-container socat

.PHONY: help setup test fuzz package release-notes demo image e2e e2e-containers e2e-single e2e-ha e2e-vm e2e-slow faults bench lint clean

help:
	@echo "make demo    build what is missing, install a one-host cluster in a VM, show how to use it"
	@echo "make test    install what tests need and run all of them except those that boot VMs;"
	@echo "             those with a real control plane are skipped before make image, and failed with CI=true"
	@echo "make fuzz    thousands of hostile requests to node0's service, and other tests that take minutes"
	@echo "make package build the wheel and the Debian package into dist/, and try both where nothing else is"
	@echo "make image   Kubernetes and the base live ISO, into the cache"
	@echo "make e2e     the proofs from the real ISO: make e2e-containers: clusters of containers, installed and used,"
	@echo "             with one (make e2e-single) and with several control planes (make e2e-ha); make e2e-vm: virtual"
	@echo "             machines on real firmware, an install by one firmware and medium"
	@echo "make e2e-slow  proofs on virtual machines that take long, an install by each firmware and medium"
	@echo "make faults  faults at every stage of real installs; hours; FAULTS='--minutes 30 --only GLOB' for a part"
	@echo "make bench   measure the figures of docs/figures.md, print and publish them; ONLY=create-image,base-iso: some"
	@echo "make release-notes  the commits since the last release and the figures, into dist/release-notes.md"
	@echo "make lint    the linters alone"
	@echo "make setup   .venv with cluster0 in it"
	@echo "make clean   stop the demo and remove what is in the checkout"
	@echo
	@echo "CLUSTER0_ACCEL=auto|kvm|tcg  how VMs run (demo, e2e, bench): auto uses KVM where it works"
	@echo "CLUSTER0_E2E_INSTALL=NAME    the firmware and medium of make e2e-vm: bios, uefi, secure-boot, usb, minimal, pxe"
	@echo "CLUSTER0_CACHE=DIR           where builds are kept instead of ~/.cache/cluster0"

.venv/.packages: Makefile
	@test -x $(PYTHON) && $(PYTHON) -c 'import ensurepip' 2>/dev/null || { $(SUDO) apt-get update -q && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends python3-venv; }
	@test -x .venv/bin/python || $(PYTHON) -m venv --system-site-packages .venv
	@touch $@

.venv/.ready: .venv/.packages pyproject.toml Makefile
	.venv/bin/pip install --quiet --editable '.[agent,test]'
	.venv/bin/pip install --quiet --no-deps nmstate==2.0.0 setuptools
	@touch $@

.venv/.%-packages: Makefile | .venv/.packages
	@missing=$$(dpkg-query -W -f '$${db:Status-Status} $${Package}\n' $(PACKAGES) 2>&1 | grep -v '^installed ' || true); \
	if [ -n "$$missing" ]; then $(SUDO) apt-get update -q && \
		$(SUDO) env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(PACKAGES); fi
	@touch $@

.venv/.test-packages: PACKAGES = $(TEST_PACKAGES) $(BUILD_PACKAGES)
.venv/.lab-packages: PACKAGES = $(TEST_PACKAGES) $(BUILD_PACKAGES) $(LAB_PACKAGES)

setup: .venv/.ready

test: setup .venv/.test-packages
	$(PYTEST)

fuzz: setup .venv/.test-packages
	$(PYTEST) -m "slow and not vm"

lint: setup .venv/.test-packages
	$(PYTEST) tests/lint

package: setup .venv/.test-packages
	image-build/package/build.sh .venv/bin/python dist
	DIST=dist $(PYTEST) -m package tests/package

release-notes: setup
	mkdir -p dist
	.venv/bin/python -m tests.bench.release_notes >dist/release-notes.md

image: setup .venv/.lab-packages
	$(CLUSTER0) image build

# The hosts of a cluster wait for each other most of the time, so clusters and an emulated machine run side by side.
# Their lines mix. So each test has one (-v), which comes whole, when the test ends.
SIDE_BY_SIDE = $(MAKE) --no-print-directory --jobs=3 WHOLE_LINES='2>&1 | (trap "" INT; exec sed --unbuffered "")'

e2e: image
	+@$(SIDE_BY_SIDE) e2e-single e2e-ha e2e-vm

e2e-containers: image
	+@$(SIDE_BY_SIDE) e2e-single e2e-ha

e2e-single: image
	$(PYTEST) -v -m "containers and not highly_available" tests/lab $(WHOLE_LINES)

e2e-ha: image
	$(PYTEST) -v -m "containers and highly_available" tests/lab $(WHOLE_LINES)

e2e-vm: image
	$(PYTEST) -v -m "vm and (chosen or not slow)" tests/vm $(WHOLE_LINES)

e2e-slow: image
	$(PYTEST) -v -m "vm and slow" tests/vm

faults: image
	$(SUDO) .venv/bin/python -m tests.faults $(FAULTS)

bench: setup .venv/.lab-packages
	$(SUDO) .venv/bin/python -m tests.bench $(if $(MACHINES),--machines $(MACHINES)) $(ONLY)

demo: image
	$(CLUSTER0) lab up --topology sno --dir $(DEMO) --wait
	$(CLUSTER0) lab kubectl --dir $(DEMO) -- get nodes -o wide
	@echo
	@echo "The cluster is up. Go on with"
	@echo "  $(CLUSTER0) lab kubectl --dir $(DEMO) -- get pods -A"
	@echo "  $(CLUSTER0) lab ssh     --dir $(DEMO)"
	@echo "  $(CLUSTER0) lab down    --dir $(DEMO)      end it; make clean removes everything"

clean:
	-test -x .venv/bin/cluster0 && $(CLUSTER0) lab down --dir $(DEMO)
	$(SUDO) rm -rf .venv $(DEMO) dist evidence faults
