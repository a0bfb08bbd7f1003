# The python environments. `base` holds the wheels that runs need; `env` adds the compiled
# interfaces; `dev` adds the developers' tools to that. Each layer points at those below it.
{ lock, boot }:
let
  environment = name: settings: boot.run name
    (boot.withPatchelf // {
      settings = builtins.toJSON (settings // { installer = boot.wheel "installer"; });
    }) ''
    ${boot.python}/usr/bin/python3 -I -B ${./make_env.py} ${boot.python}/usr
  '';
  wheels = set: map boot.wheel lock.wheelSets.${set};
in
rec {
  base = environment "python-base" { wheels = wheels "env"; layers = [ ]; };
  interfaces = import ./interfaces.nix { inherit boot base; };
  env = environment "python-env" { wheels = [ ]; layers = [ interfaces base ]; };
  dev = environment "python-dev" { wheels = wheels "dev"; layers = [ interfaces base ]; };
}
