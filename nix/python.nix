# The python environments: `base` is the wheels of the runs, `env` adds the compiled interfaces,
# `dev` adds the tools of developers. Each is a layer on the one before, so none is copied.
{ lock, boot, interfaces }:
let
  wheels = names: map boot.wheel lock.wheelSets.${names};
  install = name: attributes: boot.run name
    (boot.withPatchelf // { installer = boot.wheel "installer"; } // attributes) ''
    ${boot.python}/usr/bin/python3 -I -B ${./make_env.py} ${boot.python}/usr
  '';
in
rec {
  base = install "python-base" { wheels = wheels "env"; layers = [ ]; prefixes = [ ]; };
  env = install "python-env" {
    wheels = [ ];
    layers = [ base interfaces ];
  };
  dev = install "python-dev-env" {
    wheels = wheels "dev";
    layers = [ env base interfaces ];
  };
}
