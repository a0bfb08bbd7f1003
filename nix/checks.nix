# What `nix flake check` builds: the rules that need no ROS, no store and little time.
{ boot, sources, dev }:
let
  folders =
    [ "lib" "sim" "bridge" "robots" "reports" "tests" "nix" "worlds" "scenarios" "docs" "examples" "schemas" "packs" ];
  check = name: script: boot.run "check-${name}" { HOME = "/build"; } ''
    mkdir tree && cd tree
    cp ${../pyproject.toml} pyproject.toml
    for folder in ${toString (map (name: "${name}=${sources.folder name}") folders)}; do
      cp -r ''${folder#*=} ''${folder%%=*}
    done
    chmod -R u+w .
    ${boot.python}/usr/bin/python3 -I -B nix/plugins.py --link build/plugins examples/plugins/*
    ${script}
    touch $out
  '';
in
{
  # the backends' tests start /bin/sh, which the sandbox has not
  tests = check "tests" ''
    ${dev}/bin/python -B -m pytest -q -p no:cacheprovider -m "not ros and not nix and not slow" \
      --ignore=tests/backends tests
  '';
  format = check "format" "${dev}/bin/ruff format --no-cache --check --diff .";
  style = check "style" "${dev}/bin/ruff check --no-cache .";
}
