#!/bin/sh
# Prints the Nix settings for this machine and user: what Makefile exports as NIX_CONFIG.
cat "$(dirname "$0")/nix.conf"
if [ "$(id -u)" = 0 ]; then
  # the accounts that builds run under; without any, root builds, in the sandbox all the same
  members=$(getent group nixbld | cut -d: -f4)
  echo "build-users-group =${members:+ nixbld}"
elif [ ! -S /nix/var/nix/daemon-socket/socket ] && [ ! -w /nix/var/nix ]; then
  echo "build-users-group ="
  echo "store = ${XDG_DATA_HOME:-$HOME/.local/share}/nix/root"
fi
# NIX_SETTINGS adds settings of the user's own, such as a binary cache
[ -z "${NIX_SETTINGS:-}" ] || printf '%s\n' "$NIX_SETTINGS"
