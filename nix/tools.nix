# What people start: the command, a shell to develop in, the formatter.
{ boot, sources, env, dev }:
let
  script = name: text: boot.run name { inherit text; passAsFile = [ "text" ]; } ''
    mkdir -p $out/bin
    cp $textPath $out/bin/${name} && chmod 555 $out/bin/${name}
  '';
  shebang = "#!${boot.busybox} sh\n";
in
{
  command = script "fieldproof" ''
    ${shebang}export PYTHONPATH=${sources.pythonPath [ "lib" "sim" "bridge" "robots" "reports" ]}
    exec ${env}/bin/python -B -m fieldproof.cli "$@"
  '';

  format = script "format" ''
    ${shebang}exec ${dev}/bin/ruff format "$@"
  '';

  shell = derivation {
    name = "fieldproof-shell";
    inherit (boot) system;
    builder = "${boot.python}/usr/bin/bash"; # nix develop asks for a bash
    args = [ "-c" "echo 'for nix develop' > $out" ];
    outputs = [ "out" ]; # it asks for their names as well
    PATH = "${dev}/bin:${boot.applets}/bin";
    shellHook = ''
      for folder in build/plugins reports robots bridge sim lib; do
        PYTHONPATH=$PWD/$folder''${PYTHONPATH:+:$PYTHONPATH}
      done
      export PYTHONPATH PYTHONDONTWRITEBYTECODE=1
    '';
  };
}
