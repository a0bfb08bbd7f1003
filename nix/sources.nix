# The top-level folders, each a store path of its own: a change in one rebuilds what uses that one.
{ boot }:
rec {
  # a folder of this repository as it is
  folder = name: builtins.path {
    path = ../. + "/${name}";
    name = baseNameOf name;
    filter = path: _: baseNameOf path != "__pycache__";
  };
  # the same with bytecode, which each stage would otherwise compile for itself
  compiled = name: boot.run "fieldproof-${name}" { source = folder name; } ''
    cp -r $source $out && chmod -R u+w $out
    cd $out && ${boot.python}/usr/bin/python3 -I -B -m compileall -q --invalidation-mode unchecked-hash .
  '';
  # every plugin of examples/plugins/, installed
  plugins = boot.run "fieldproof-plugins" { examples = folder "examples"; } ''
    ${boot.python}/usr/bin/python3 -I -B ${./plugins.py} $out $examples/plugins/*
  '';
  pythonPath = names:
    builtins.concatStringsSep ":" (map (name: "${compiled name}") names ++ [ "${plugins}" ]);
}
