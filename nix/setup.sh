#!/bin/sh
# From a machine with make, git, python3 and pip to build/env. Each step does nothing when it was
# done before, and a cut leaves nothing that the next call could mistake for done.
set -eu
cd "$(dirname "$0")/.."
mkdir -p build/roots
exec 9>build/.setup-lock
flock 9 # a second set-up waits for this one and then finds everything there

say() { echo "setup: $*" >&2; }

# build ARGUMENTS: nix build. When a set-up was killed, its builder may be at work a little longer, in
# the folder that Nix then wants to clear: that one failure is waited out.
build() {
  attempt=0
  rm -f build/.failed
  while { nix build "$@" 2>&1 || touch build/.failed; } | tee build/setup.log >&2; [ -e build/.failed ]
  do
    attempt=$((attempt + 1))
    [ "$attempt" -lt 20 ] && grep -q "Directory not empty" build/setup.log || exit 1
    say "waiting for the end of a build that was cut off"
    sleep 3
    rm build/.failed
  done
}

case $PWD in
*[" #?%"]*)
  say "move this checkout: Nix takes no space, #, ? or % in the path of a flake ($PWD)"
  exit 1
  ;;
esac

if ! command -v nix >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    say "installing nix-bin"
    apt-get update -qq >&2
    DEBIAN_FRONTEND=noninteractive apt-get install -qq --no-install-recommends nix-bin \
      >build/setup.log 2>&1 </dev/null || { cat build/setup.log >&2; exit 1; }
  else
    say "Nix is missing; install it as root: apt install nix-bin"
    exit 1
  fi
fi

# Where root may not make user namespaces (in a chroot, say), the sandbox needs accounts to build as.
if [ "$(id -u)" = 0 ] && ! unshare --user true 2>/dev/null; then
  groupadd --force --system nixbld
  for account in nixbld1 nixbld2 nixbld3 nixbld4; do
    id "$account" >/dev/null 2>&1 || useradd --system --gid nixbld --groups nixbld \
      --no-create-home --home-dir /var/empty --shell /usr/sbin/nologin "$account"
  done
fi

settings=$(sh nix/settings.sh)
export NIX_CONFIG="$settings"
printf "export NIX_CONFIG='%s'\n" "$settings" >build/nix.env

# with a binary cache, nothing is imported that need not be built
if nix build .#dev-env .#env --dry-run 2>&1 | grep -q "will be built"; then
  say "importing the inputs"
  python3 -B nix/import_inputs.py
  build .#inputs -o build/roots/inputs
  say "building the environment (under a minute)"
  build .#dev-env .#env --no-link --max-jobs auto
fi
build .#env -o build/roots/env
build .#dev-env -o build/env
python3 -B nix/plugins.py --link build/plugins examples/plugins/*
# processes of a run start faster; what is edited later is compiled by each for itself
nix/exec python -m compileall -q lib sim bridge robots reports || true
say "ready: $(nix --version), build/env"
