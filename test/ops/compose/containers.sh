# Sourced: a separate container engine for the trial of docker-compose.yml, under .cache/compose. Needs root, and Debian's podman, buildah, runc,
# netavark, aardvark-dns and docker-compose.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
cache=$root/.cache/compose
mkdir -p "$cache/run"

overlay_works() {
  local folder status=0
  folder=$(mktemp -d -p "$cache")
  mkdir "$folder"/{lower,upper,work,merged}
  mount -t overlay overlay -o "lowerdir=$folder/lower,upperdir=$folder/upper,workdir=$folder/work" "$folder/merged" 2>/dev/null || status=1
  ((status)) || umount "$folder/merged"
  rm -rf "$folder"
  return $status
}
# Without overlayfs, each container is a copy of its image.
if overlay_works; then driver=overlay; else driver=vfs; fi
cat >"$cache/storage.conf" <<END
[storage]
driver = "$driver"
graphroot = "$cache/storage-$driver"
runroot = "$cache/run/storage"
END
# runc, because Debian's crun refuses limits above those of the machine.
cat >"$cache/containers.conf" <<END
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
[network]
network_backend = "netavark"
[containers]
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
END
export CONTAINERS_STORAGE_CONF=$cache/storage.conf CONTAINERS_CONF=$cache/containers.conf
export BUILDAH_ISOLATION=chroot BUILDAH_FORMAT=docker
export DOCKER_HOST=unix://$cache/run/podman.sock COMPOSE_HTTP_TIMEOUT=300 DOCKER_BUILDKIT=0

missing_tools() {
  local tool
  for tool in podman buildah runc docker-compose apt-get dpkg-deb; do
    command -v "$tool" >/dev/null || printf '%s ' "$tool"
  done
}
