#!/bin/bash
# network-part.sh PLAIN WHOLE OUTPUT: writes an archive of the files in the initramfs WHOLE that PLAIN lacks or that differ.
# PLAIN and this archive together equal WHOLE. A start from a full ISO does not load it. Runs inside the root tree.
set -euo pipefail

plain=$1 whole=$2 output=$3
: "${SOURCE_DATE_EPOCH:?}"
scratch=$(mktemp -d)
trap 'rm -r "$scratch"' EXIT

unpack() { # ARCHIVE DIRECTORY
    mkdir "$2"
    (cd "$2" && lsinitrd --unpack "$1")
}

same() { # of either tree, a path
    if [ -L "$1" ] || [ -L "$2" ]; then
        [ -L "$1" ] && [ -L "$2" ] && [ "$(readlink "$1")" = "$(readlink "$2")" ]
    else
        [ -f "$1" ] && cmp -s "$1" "$2"
    fi
}

unpack "$plain" "$scratch/plain"
unpack "$whole" "$scratch/whole"
cd "$scratch/whole"
find . ! -type f ! -type l ! -type d -delete # device nodes, which PLAIN has as well
find . ! -type d -print0 | while IFS= read -rd '' path; do
    if same "$scratch/plain/$path" "$path"; then
        rm "$path"
    fi
done
find . -mindepth 1 -type d -empty -delete
find . -exec touch --no-dereference --date="@$SOURCE_DATE_EPOCH" {} +
find . -mindepth 1 -print0 | LC_ALL=C sort -z |
    cpio --create --null --format=newc --owner=0:0 --reproducible --quiet | zstd -q -15 -T1 -o "$output"
