"""Builds a python environment: wheels of its own, on top of the site folders of its layers.

argv: the prefix of the interpreter. Environment: ``settings``, a JSON object with ``wheels`` (store
paths), ``layers`` (prefixes of environments below this one) and ``installer`` (a wheel); ``out``.
"""

from __future__ import annotations

import compileall
import json
import os
import py_compile
import subprocess
import sys
import warnings
import zipfile
from pathlib import Path

_SITE = "lib/python3.11/site-packages"


def install_wheels(wheels: list[str], out: Path) -> None:
    """Unpacks the wheels, with scripts that start this environment's python."""
    # importable only now: main has put the installer's wheel, an archive, on the path
    from installer import install  # noqa: PLC0415
    from installer.destinations import SchemeDictionaryDestination  # noqa: PLC0415
    from installer.sources import WheelFile  # noqa: PLC0415

    # the ROS wheels ship bytecode of their own; installer says so for each file and skips it
    warnings.simplefilter("ignore", RuntimeWarning)
    site = str(out / _SITE)
    destination = SchemeDictionaryDestination(
        {
            "purelib": site,
            "platlib": site,
            "scripts": str(out / "bin"),
            "data": str(out),
            "headers": str(out / "include"),
        },
        interpreter=str(out / "bin/python3"),
        script_kind="posix",
        overwrite_existing=True,
    )
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as archive:
            source = WheelFile(archive)
            # read from the file's name, which has the store's hash in front
            source.distribution, source.version = Path(wheel).name.split("-", 1)[1].split("-")[:2]
            install(source, destination, {"INSTALLER": b"nix\n"})


def relocate_ros(out: Path) -> None:
    """Lets the ROS libraries find each other without LD_LIBRARY_PATH.

    Each ROS wheel carries its own copy of the same libraries (their names hold a hash of their
    content) in a folder of its own: one copy of each is kept.
    """
    site = out / _SITE
    shared = site / "ros.libs"
    shared.mkdir()
    for folder in sorted(site.glob("ros_*.libs")):
        for library in sorted(folder.iterdir()):
            library.replace(shared / library.name)
        folder.rmdir()
    packages = {path.name for path in (out / "share/ament_index/resource_index/packages").iterdir()}
    objects = [*(out / "lib").glob("*.so*"), *shared.glob("*.so*")]
    objects += [p for p in site.rglob("*.so") if p.relative_to(site).parts[0] in packages]
    objects = sorted(path for path in objects if not path.is_symlink())
    for path in objects:
        path.chmod(0o755)
    rpath = f"{out / 'lib'}:{shared}"
    subprocess.run(["patchelf", "--force-rpath", "--set-rpath", rpath, *objects], check=True)


def relocate_programs(out: Path, libraries: Path) -> None:
    """Gives compiled programs the loader and libraries of this python's Debian, not the host's."""
    for program in sorted((out / "bin").iterdir()):
        if not program.is_symlink() and program.read_bytes().startswith(b"\x7fELF"):
            program.chmod(0o755)
            loader = ["--set-interpreter", str(libraries / "ld-linux-x86-64.so.2")]
            rpath = ["--force-rpath", "--set-rpath", str(libraries)]
            subprocess.run(["patchelf", *loader, *rpath, program], check=True)


def write_layers(layers: list[str], out: Path) -> None:
    """Puts the layers behind this environment's own packages, and on ROS's search path."""
    lines = [f"{layer}/{_SITE}" for layer in layers]
    prefixes = os.pathsep.join(layers)
    lines.append(f"import os; os.environ.setdefault('AMENT_PREFIX_PATH', {prefixes!r})")
    (out / _SITE / "layers.pth").write_text("\n".join(lines) + "\n")


def main() -> None:
    """Fills ``$out``."""
    python = Path(sys.argv[1])
    settings = json.loads(os.environ["settings"])
    out = Path(os.environ["out"])
    (out / _SITE).mkdir(parents=True)
    (out / "bin").mkdir()
    for name in ("python3.11", "python3", "python"):
        (out / "bin" / name).symlink_to(python / "bin/python3.11")
    (out / "pyvenv.cfg").write_text(
        f"home = {python}/bin\ninclude-system-site-packages = false\nversion = 3.11\n"
    )
    sys.path.insert(0, settings["installer"])
    install_wheels(settings["wheels"], out)
    if (out / "share/ament_index").is_dir():
        relocate_ros(out)
    relocate_programs(out, python / "lib/x86_64-linux-gnu")
    if settings["layers"]:
        write_layers(settings["layers"], out)
    # by hash, and never checked: python then has no reason to write into the store
    compileall.compile_dir(
        out / _SITE,
        quiet=1,
        force=True,
        invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH,
    )


if __name__ == "__main__":
    main()
