#!/bin/sh
# Removes files from node_modules that are not needed at run time: half of its size.
set -eu
cd "$1"
find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -iname 'readme*' -o -iname 'changelog*' \) -delete
