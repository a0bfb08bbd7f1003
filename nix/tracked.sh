#!/bin/sh
# Says so, and fails, when a file is there that Nix cannot see because git does not track it.
[ ! -e "$1" ] || git ls-files --error-unmatch "$1" >/dev/null 2>&1 || {
  echo "$1 is not tracked by git, so Nix cannot see it: git add $1" >&2
  exit 2
}
