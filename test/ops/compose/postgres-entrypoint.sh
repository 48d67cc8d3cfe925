#!/bin/bash
# The part of the real image's entrypoint that handles POSTGRES_USER, POSTGRES_DB and POSTGRES_PASSWORD_FILE.
set -euo pipefail
if [[ $(id -u) == 0 ]]; then
  install -d -o postgres -g postgres -m 0700 "$PGDATA"
  chown postgres "$(dirname "$PGDATA")"
  exec setpriv --reuid=postgres --regid=postgres --init-groups "$0" "$@"
fi
if [[ ! -s $PGDATA/PG_VERSION ]]; then
  initdb --username="$POSTGRES_USER" --pwfile="$POSTGRES_PASSWORD_FILE" --auth-local=trust --auth-host=scram-sha-256 >/dev/null
  printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
  pg_ctl --silent --wait --options="-c listen_addresses='' -c unix_socket_directories=/tmp" start
  psql --host=/tmp --username="$POSTGRES_USER" --dbname=postgres --command="create database \"$POSTGRES_DB\"" >/dev/null
  pg_ctl --silent --wait --mode=fast stop
fi
exec "$@" -c listen_addresses='*'
