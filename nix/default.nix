# Wires the concerns of this folder to the outputs of the flake.
{ }:
let
  lock = builtins.fromJSON (builtins.readFile ./lock.json);
  boot = import ./bootstrap.nix { inherit lock; };
  python = import ./python.nix { inherit lock boot; };
in
{
  packages.${lock.system} = {
    inherit (boot) inputs compiler;
    inherit (python) base interfaces env;
    dev-env = python.dev;
  };
}
