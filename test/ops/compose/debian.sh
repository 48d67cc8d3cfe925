# Sourced after containers.sh: unpacks Debian packages as the root of an image without installing them, which takes seconds instead of debootstrap's
# minutes.

# Exit status of a script that could not download what it needs.
no_download=75

# usage: debian_root FOLDER SUITE PACKAGE…   with all that the packages depend on
debian_root() {
  local folder=$1 suite=$2 apt=$cache/apt package
  shift 2
  rm -rf "$apt" "$folder"
  mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$folder"/{etc/ssl/certs,run,var,usr/{bin,sbin,lib,lib64}}
  # Nothing is installed there, so apt downloads all dependencies.
  : >"$apt/status"
  printf 'deb http://deb.debian.org/debian %s main\n' "$suite" >"$apt/sources.list"
  local options=(-qq -o "Dir::State=$apt/state" -o "Dir::State::status=$apt/status" -o "Dir::Cache=$apt/cache"
    -o "Dir::Etc::SourceList=$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null -o APT::Sandbox::User=root
    -o APT::Update::Error-Mode=any -o Acquire::Retries=3)
  apt-get "${options[@]}" update || exit "$no_download"
  apt-get "${options[@]}" install --yes --no-install-recommends --download-only base-files base-passwd bash coreutils findutils grep sed "$@" >/dev/null ||
    exit "$no_download"
  for package in bin sbin lib lib64; do ln -s "usr/$package" "$folder/$package"; done
  ln -s /run "$folder/var/run"
  for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb --fsys-tarfile "$package" | tar -x -C "$folder" --keep-directory-symlink \
      --exclude='./usr/share/doc/*' --exclude='./usr/share/man/*' --exclude='./usr/share/locale/*' --exclude='./usr/share/perl/*' --exclude='./usr/lib/*/perl/*'
  done
  rm -rf "$apt"
  ln -sf bash "$folder/usr/bin/sh"
  cp "$folder/usr/share/base-passwd/passwd.master" "$folder/etc/passwd"
  cp "$folder/usr/share/base-passwd/group.master" "$folder/etc/group"
  # Requests inside the image trust the same certificates as this machine.
  cp /etc/ssl/certs/ca-certificates.crt "$folder/etc/ssl/certs/"
}

# usage: add_account FOLDER NAME ID HOME
add_account() {
  printf '%s:x:%s:%s::%s:/bin/bash\n' "$2" "$3" "$3" "$4" >>"$1/etc/passwd"
  printf '%s:x:%s:\n' "$2" "$3" >>"$1/etc/group"
  install -d -o "$3" -g "$3" "$1$4"
}

# usage: make_image NAME FOLDER INSTRUCTION…   of a Dockerfile
make_image() {
  local name=$1 folder=$2 instruction changes=()
  shift 2
  for instruction in "$@"; do changes+=(--change "$instruction"); done
  echo "$name"
  tar -C "$folder" -c . | podman import --quiet "${changes[@]}" - "docker.io/library/$name" >/dev/null
  rm -rf "$folder"
}
