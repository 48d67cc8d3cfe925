#!/bin/sh
# Takes from node_modules what only people and compilers read: half of its size.
set -eu
cd "$1"
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -iname 'readme*' -o -iname 'changelog*' \) -delete
