# Wires the concerns of this folder to the outputs of the flake.
let
  lock = builtins.fromJSON (builtins.readFile ./lock.json);
  inherit (lock) system;
  boot = import ./bootstrap.nix { inherit lock; };
  python = import ./python.nix { inherit lock boot; };
  sources = import ./sources.nix { inherit boot; };
  scenarios = import ./scenarios.nix { inherit boot sources; inherit (python) env; };
  tools = import ./tools.nix { inherit boot sources; inherit (python) env dev; };
  # a scenario may not hide what is here already
  merge = a: b:
    let both = builtins.attrNames (builtins.intersectAttrs a b); in
    if both == [ ] then a // b else throw "these scenario names are taken: ${toString both}";
in
{
  packages.${system} = merge
    {
      inherit (boot) inputs;
      inherit (python) env;
      dev-env = python.dev;
      default = tools.command;
    }
    scenarios;
  legacyPackages.${system}.suites = import ./suites.nix { inherit boot sources; inherit (python) env; };
  apps.${system}.default = { type = "app"; program = "${tools.command}/bin/fieldproof"; };
  devShells.${system}.default = tools.shell;
  formatter.${system} = tools.format;
  checks.${system} = import ./checks.nix { inherit boot sources; inherit (python) dev; };
}
