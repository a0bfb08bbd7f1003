# One chain of derivations for each file in scenarios/, all content-addressed: a stage whose inputs
# come out the same as before is not run again. `plan` has two outputs, so that a changed limit
# reaches the verdict and not the run. A run succeeds whatever the robot did; only the gate, which
# is what the scenario's name builds, fails when the verdict is not a pass.
{ boot, env, sources }:
let
  stage = name: folders: attributes: script: boot.run name
    ({
      __contentAddressed = true;
      outputHashMode = "recursive";
      outputHashAlgo = "sha256";
      PYTHONPATH = sources.pythonPath folders;
      HOME = "/build";
      stage = "${env}/bin/python -B -m fieldproof.cli stage";
    } // attributes)
    script;

  # what the workspace says for scenarios that do not, as a live run reads it
  workspace = ../fieldproof.toml;
  settled = builtins.pathExists workspace;
  paths =
    if settled then (builtins.fromTOML (builtins.readFile workspace)).paths or { } else { };
  # a folder of the workspace by its path in the repository
  folderOf = key:
    let path = paths.${key} or key; in
    if builtins.match "([A-Za-z0-9_-][A-Za-z0-9_.-]*/?)+" path != null then path
    else throw "fieldproof.toml: paths.${key} is no folder below it (${path}), so no build sees it";

  chain = name:
    let
      # laid out as in the repository, so that what is wrong in a file is said with a path that
      # the user knows
      link = source: path: ''
        mkdir -p "$(dirname ${path})"
        ln -s ${source} ${path}
      '';
      worlds = folderOf "worlds";
      robots = folderOf "robots";
      plan = stage "${name}-plan" [ "lib" "bridge" "sim" ] { outputs = [ "execution" "evaluation" ]; } ''
        ${link (../scenarios + "/${name}.yaml") "scenarios/${name}.yaml"}
        ${link (sources.folder worlds) worlds}
        ${link (sources.folder robots) robots}
        ${if settled then link workspace "fieldproof.toml" else ""}
        $stage plan --scenario scenarios/${name}.yaml --worlds ${worlds} --robots ${robots} \
          --execution $execution --evaluation $evaluation ${if settled then "--workspace fieldproof.toml" else ""}
      '';
      # both outputs under one name, to look at
      bundle = stage "${name}-plan-bundle" [ ] { } ''
        mkdir $out
        ln -s ${plan.execution} $out/execution
        ln -s ${plan.evaluation} $out/evaluation
      '';
      run = stage "${name}-run" [ "lib" "sim" "bridge" ] { } ''
        $stage run --plan ${plan.execution} --out $out
      '';
      verdict = stage "${name}-verdict" [ "lib" ] { } ''
        $stage verdict --evidence ${run} --evaluation ${plan.evaluation} --out $out
      '';
      report = stage "${name}-report" [ "lib" "reports" ] { } ''
        $stage report --evidence ${run} --verdict ${verdict} --evaluation ${plan.evaluation} \
          --out $out
      '';
      gate = stage name [ "lib" ] { } ''
        $stage gate --verdict ${verdict} --report ${report} --out $out
      '';
    in
    gate // { plan = bundle; inherit run verdict report; };

  nameOf = builtins.match "(.*)\\.yaml";
  names = builtins.concatMap
    (file: let name = nameOf file; in if name == null then [ ] else name)
    (builtins.attrNames (builtins.readDir ../scenarios));
in
builtins.listToAttrs (map (name: { inherit name; value = chain name; }) names)
