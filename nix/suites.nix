# One pair of derivations for each suite in scenarios/suites/: a run with the rule-based agent, which
# succeeds whatever came of it, and a gate, which is what suites.NAME builds and fails with the reason.
{ boot, env, sources }:
let
  stage = name: folders: script: boot.run name
    {
      __contentAddressed = true;
      outputHashMode = "recursive";
      outputHashAlgo = "sha256";
      PYTHONPATH = sources.pythonPath folders;
      HOME = "/build";
      suite = "${env}/bin/python -B -m fieldproof.cli suite";
    }
    script;

  pair = name:
    let
      # laid out as in the repository, so that files are named as the user knows them
      run = stage "${name}-suite-run" [ "lib" "sim" "reports" ] ''
        # copies, since a suite finds packs beside scenarios by a path that leads up
        cp -r ${sources.folder "scenarios"} scenarios
        cp -r ${sources.folder "packs"} packs
        ln -s ${sources.folder "examples"} examples
        $suite run scenarios/suites/${name}.yaml --out $out || [ $? = 1 ]
      '';
      gate = stage "${name}-suite" [ "lib" "sim" "reports" ] ''
        $suite verdict ${run}
        mkdir $out
        ln -s ${run}/report.html ${run}/report.md ${run}/junit.xml ${run}/summary.json $out
      '';
    in
    gate // { inherit run; };

  nameOf = builtins.match "(.*)\\.yaml";
  names = builtins.concatMap
    (file: let name = nameOf file; in if name == null then [ ] else name)
    (builtins.attrNames (builtins.readDir ../scenarios/suites));
in
builtins.listToAttrs (map (name: { inherit name; value = pair name; }) names)
