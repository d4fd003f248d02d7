#!/bin/sh
# build.sh PYTHON DIRECTORY: the wheel, and the Debian package made from it (Debian 13 and later), into DIRECTORY.
# The same checkout gives the same bytes. Needs dpkg-deb and a Python that has cluster0 and pip.
set -eu
umask 022
python=$1
output=$2
here=$(dirname "$0")
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$here" log -1 --format=%ct)}
export SOURCE_DATE_EPOCH

mkdir -p "$output"
rm -f "$output"/cluster0-*.whl "$output"/cluster0_*.deb
"$python" -m pip wheel --quiet --no-deps --wheel-dir "$output" "$here/../.."
wheel=$(echo "$output"/cluster0-*.whl)
version=$(basename "$wheel" | cut -d- -f2)

root=$(mktemp -d)
chmod 755 "$root"
trap 'rm -rf "$root"' EXIT
library=$root/usr/lib/cluster0
"$python" -m pip install --quiet --no-deps --no-compile --target "$library" "$wheel" nmstate==2.0.0
rm -rf "${library:?}/bin" "$library/share"
# Origin and time of the installation: unused, and different each time.
rm -f "$library"/cluster0-*.dist-info/direct_url.json
sed -i '/direct_url.json/d; /^bin\//d; /^\.\.\/\.\.\/\(bin\|share\)\//d' "$library"/*.dist-info/RECORD

install -D -m 755 "$here/cluster0" "$root/usr/bin/cluster0"
"$python" -m image_build.man "$root/usr/share/man/man1"
gzip -9n "$root"/usr/share/man/man1/*.1

completion() {
    mkdir -p "$root/usr/share/$(dirname "$2")"
    "$python" -m cli completion "$1" >"$root/usr/share/$2"
}
completion bash bash-completion/completions/cluster0
completion zsh zsh/vendor-completions/_cluster0
completion fish fish/vendor_completions.d/cluster0.fish

install -D -m 644 "$here/../../README.md" "$root/usr/share/doc/cluster0/README.md"
install -D -m 644 "$here/../../LICENSE" "$root/usr/share/doc/cluster0/copyright"

mkdir "$root/DEBIAN"
install -m 755 "$here/postinst" "$here/prerm" "$root/DEBIAN"
sed "s/@VERSION@/$version/; s/@SIZE@/$(du -sk "$root/usr" | cut -f1)/" "$here/control.in" >"$root/DEBIAN/control"
dpkg-deb --root-owner-group -Zxz --build "$root" "$output/cluster0_${version}_all.deb" >&2
