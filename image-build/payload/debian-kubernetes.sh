#!/bin/sh
# Builds Kubernetes from Debian's source package, as root inside a throw-away Debian 12 build root (see build_root.py), into /out:
#   bin/              kubeadm, kubelet, kubectl and the programs of images, static and stripped
#   etcd.tar, busybox.tar   root directories of those images, from Debian's own packages
#   licences/         of everything above
#   packages          one "name version" a line: what was built from, and with what
set -eu

mkdir -p /out/bin /out/licences /build/src/k8s.io
export HOME=/build

echo '== Source package'
sed -n 's/^deb /deb-src /p' /etc/apt/sources.list > /etc/apt/sources.list.d/source.list
apt-get update
cd /build
# apt has checked the files against the signed index; dpkg-source would check again, with a key ring that is not here.
apt-get source --download-only kubernetes
dpkg-source --no-check -x kubernetes_*.dsc src/k8s.io/kubernetes
cd src/k8s.io/kubernetes
package_version=$(dpkg-parsechangelog --show-field Version)
# 1.20.5+really1.20.2-1 is 1.20.2.
version=$(echo "$package_version" | sed -E 's/^.*\+really//; s/-.*//')

# The vendored reflect2 1.0.1 reads memory of Go's maps in a way that Go 1.18 changed: kubeadm dies when it writes the kubelet's configuration.
rm -r vendor/github.com/modern-go/reflect2
cp -rL /usr/share/gocode/src/github.com/modern-go/reflect2 vendor/github.com/modern-go/

echo "== Kubernetes $version"
# GOPATH mode, as Debian builds it: with modules, go wants to change go.mod.
export GOPATH=/build GO111MODULE=off CGO_ENABLED=0
make generated_files
date=$(date --utc --date="@$(dpkg-parsechangelog --show-field Timestamp)" +%Y-%m-%dT%H:%M:%SZ)
stamps=''
for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
    for stamp in "gitVersion=v$version" "gitMajor=$(echo "$version" | cut -d. -f1)" "gitMinor=$(echo "$version" | cut -d. -f2)" \
                 gitCommit=debian gitTreeState=archive "buildDate=$date"; do
        stamps="$stamps -X k8s.io/kubernetes/vendor/$package.$stamp"
    done
done
go build -trimpath -ldflags "-s -w$stamps" -o /out/bin/ \
    ./cmd/kubeadm ./cmd/kubelet ./cmd/kubectl ./cmd/kube-apiserver ./cmd/kube-controller-manager ./cmd/kube-scheduler ./cmd/kube-proxy
gcc -Os -static -s -o /out/bin/pause build/pause/linux/pause.c

echo '== Images from packages'
{ echo usr/bin/etcd; ldd /usr/bin/etcd | grep -o '/[^ ]*' | cut -c2-; } \
    | tar --create --dereference --file /out/etcd.tar --directory / --files-from -
mkdir -p /build/busybox/bin /build/busybox/tmp
cp /bin/busybox /build/busybox/bin/
for applet in $(busybox --list); do
    [ "$applet" = busybox ] || ln -s busybox "/build/busybox/bin/$applet"
done
tar --create --file /out/busybox.tar --directory /build/busybox bin tmp

echo '== Licences and versions'
cp LICENSE /out/licences/kubernetes.LICENSE
cp debian/copyright /out/licences/kubernetes.copyright
for package in etcd-server libc6 busybox-static; do
    cp "/usr/share/doc/$package/copyright" "/out/licences/$package.copyright"
done
{
    echo "kubernetes $package_version"
    dpkg-query --show --showformat '${Package} ${Version}\n' \
        busybox-static etcd-server gcc golang-github-modern-go-reflect2-dev 'golang-1.*-go' libc6
} > /out/packages
