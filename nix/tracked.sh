#!/bin/sh
# Says so, and fails, when a file is there that Nix cannot see because git does not track it.
for file; do
  [ ! -e "$file" ] || git ls-files --error-unmatch "$file" >/dev/null 2>&1 || {
    echo "$file is not tracked by git, so Nix cannot see it: git add $file" >&2
    exit 2
  }
done
