"""Generates and compiles ROS 2 interface packages for C, Fast DDS and Python.

argv: a folder with one folder for each package (msg/, srv/, action/). Environment: ``base``, the
prefix of an environment with the ROS wheels; ``compiler``, that of the C++ compiler; ``out``.

The generators of the base environment are called as a library, and the compiler directly: one
typesupport for one middleware needs no build system.
"""

from __future__ import annotations

import graphlib
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from rosidl_adapter.action import convert_action_to_idl
from rosidl_adapter.msg import convert_msg_to_idl
from rosidl_adapter.srv import convert_srv_to_idl
from rosidl_generator_c import generate_c
from rosidl_generator_cpp import generate_cpp
from rosidl_generator_py.generate_py_impl import generate_py
from rosidl_generator_type_description import generate_type_hash
from rosidl_typesupport_c import generate_c as generate_dispatch
from rosidl_typesupport_fastrtps_c import generate_typesupport_fastrtps_c
from rosidl_typesupport_fastrtps_cpp import generate_cpp as generate_fastrtps_cpp
from rosidl_typesupport_introspection_c import generate_c as generate_introspection

_BASE = Path(os.environ["base"])
_OUT = Path(os.environ["out"])
_COMPILER = Path(os.environ["compiler"])
_SITE = "lib/python3.11/site-packages"
_CONVERT = {
    "msg": convert_msg_to_idl,
    "srv": convert_srv_to_idl,
    "action": convert_action_to_idl,
}
# in the order of linking: each library may need those before it
_TYPESUPPORTS = ["rosidl_typesupport_fastrtps_c", "rosidl_typesupport_introspection_c"]
_GENERATORS = {
    "rosidl_generator_c": generate_c,
    "rosidl_generator_cpp": generate_cpp,  # headers only, for the next
    "rosidl_typesupport_fastrtps_cpp": generate_fastrtps_cpp,
    "rosidl_typesupport_fastrtps_c": generate_typesupport_fastrtps_c,
    "rosidl_typesupport_introspection_c": generate_introspection,
    "rosidl_typesupport_c": lambda arguments: generate_dispatch(arguments, _TYPESUPPORTS),
}
_LIBRARIES = [name for name in _GENERATORS if name != "rosidl_generator_cpp"] + [
    "rosidl_generator_py"
]
# what an action or service has in it without naming it
_IMPLIED = {
    "msg": (),
    "srv": ("service_msgs", "builtin_interfaces"),
    "action": ("action_msgs", "service_msgs", "unique_identifier_msgs", "builtin_interfaces"),
}


@dataclass
class Package:
    """One package: where its interfaces are and which packages they use."""

    name: str
    source: Path
    interfaces: list[Path] = field(default_factory=list)  # relative to source
    uses: set[str] = field(default_factory=set)

    @classmethod
    def read(cls, source: Path) -> Package:
        """Lists the interfaces and finds the packages that their fields name."""
        package = cls(source.name, source)
        for kind in _CONVERT:
            for path in sorted((source / kind).glob(f"*.{kind}")):
                package.interfaces.append(path.relative_to(source))
                package.uses |= set(_IMPLIED[kind])
                package.uses |= set(
                    re.findall(r"^([a-z]\w*)/[A-Z]", path.read_text(), re.MULTILINE)
                )
        package.uses.discard(package.name)
        return package

    def close(self, own: dict[str, Package]) -> None:
        """Adds what the used packages use: headers and libraries name those as well."""
        pending = set(self.uses)
        while pending:
            name = pending.pop()
            package = own.get(name) or Package.read(_BASE / "share" / name)
            pending |= package.uses - self.uses
            self.uses |= package.uses

    @property
    def share(self) -> Path:
        """Where the definitions go."""
        return _OUT / "share" / self.name

    @property
    def include(self) -> Path:
        """Where the headers go; ROS repeats the name so that overlays cannot mix."""
        return _OUT / "include" / self.name / self.name

    @property
    def python(self) -> Path:
        """Where the Python package goes."""
        return _OUT / _SITE / self.name


def prefix_of(package: str) -> Path:
    """The prefix that holds a package: this build's, or the base environment."""
    return _OUT if (_OUT / "share" / package).is_dir() else _BASE


def generate(package: Package, scratch: Path) -> None:
    """Writes definitions, sources, headers and Python modules."""
    for interface in package.interfaces:
        target = package.share / interface.parent
        target.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(package.source / interface, target / interface.name)
        _CONVERT[interface.parent.name](package.source, package.name, interface, target)
    idls = [interface.with_suffix(".idl") for interface in package.interfaces]
    arguments = {
        "package_name": package.name,
        "idl_tuples": [f"{package.share}:{idl}" for idl in idls],
        "include_paths": [
            f"{use}:{prefix_of(use) / 'share' / use}" for use in sorted(package.uses)
        ],
        "ros_interface_files": [str(package.share / each) for each in package.interfaces],
        "ros_interface_dependencies": [
            f"{use}:{idl}"
            for use in sorted(package.uses)
            for idl in sorted((prefix_of(use) / "share" / use).glob("*/*.idl"))
        ],
        "target_dependencies": [str(package.share / idl) for idl in idls],
    }

    def write_arguments(generator: str, output: Path) -> str:
        output.mkdir(parents=True, exist_ok=True)
        resource = _BASE / "share" / generator / "resource"
        more = {"output_dir": str(output), "template_dir": str(resource)}
        for template in resource.glob("*visibility_control.*.in"):
            text = template.read_text().replace("@PROJECT_NAME@", package.name)
            header = output / "msg" / template.stem
            header.parent.mkdir(exist_ok=True)
            header.write_text(text.replace("@PROJECT_NAME_UPPER@", package.name.upper()))
        path = scratch / f"{package.name}-{generator}.json"
        path.write_text(json.dumps(arguments | more))
        return str(path)

    generate_type_hash(write_arguments("rosidl_generator_type_description", package.share))
    arguments["type_description_tuples"] = [
        f"{idl}:{package.share / idl.with_suffix('.json')}" for idl in idls
    ]
    for generator, run in _GENERATORS.items():
        output = scratch / generator / package.name
        run(write_arguments(generator, output))
        for header in [*output.rglob("*.h"), *output.rglob("*.hpp")]:
            target = package.include / header.relative_to(output)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(header, target)
    generate_py(write_arguments("rosidl_generator_py", package.python), ["rosidl_typesupport_c"])
    (package.python / "__init__.py").touch()


def compile_sources(packages: list[Package], scratch: Path) -> dict[tuple[str, str], list[Path]]:
    """Compiles every generated source; the objects of each (package, library)."""
    includes = [path for root in (_BASE, _OUT) for path in sorted((root / "include").iterdir())]
    includes += [_BASE / "include", _BASE / _SITE / "numpy/_core/include"]
    includes += [_COMPILER / "usr/include/python3.11"]
    command = [
        _COMPILER / "bin/c++",
        "-c",
        "-O2",
        "-fPIC",
        "-DNDEBUG",  # asserts name the headers' paths
        "-w",
        *(f"-I{path}" for path in includes),
    ]
    objects: dict[tuple[str, str], list[Path]] = {}
    jobs = []
    for package in packages:
        for library, sources in _sources(package, scratch).items():
            for source in sources:
                target = scratch / "objects" / f"{package.name}{len(jobs)}.o"
                language = "c" if source.suffix == ".c" else "c++"
                jobs.append([*command, "-x", language, str(source), "-o", str(target)])
                objects.setdefault((package.name, library), []).append(target)
    (scratch / "objects").mkdir()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(_run, jobs))
    return objects


def link(package: Package, objects: dict[tuple[str, str], list[Path]]) -> None:
    """Links the package's libraries, each with those before it, and the Python extension."""
    search = [_OUT / "lib", _BASE / "lib", _BASE / _SITE / "ros.libs"]
    joined = ":".join(map(str, search))
    command = [_COMPILER / "bin/c++", "-shared", *(f"-L{path}" for path in search)]
    command += [f"-Wl,--disable-new-dtags,-rpath,{joined},-rpath-link,{joined}"]
    runtime = [*_TYPESUPPORTS, "rosidl_typesupport_fastrtps_cpp", "rosidl_typesupport_c"]
    runtime += ["fastcdr", "rmw", "rosidl_runtime_c", "rcutils"]
    done: list[str] = []
    for library in _LIBRARIES:
        name = f"{package.name}__{library}"
        wanted = [*reversed(done), *(f"{use}__{library}" for use in sorted(package.uses))]
        wanted += [f"{use}__rosidl_generator_c" for use in sorted(package.uses)]
        _run(
            [
                *command,
                f"-Wl,-soname,lib{name}.so,--as-needed",
                *map(str, objects[package.name, library]),
                *(f"-l{each}" for each in wanted + runtime),
                "-o",
                str(_OUT / f"lib/lib{name}.so"),
            ]
        )
        done.append(name)
    # ROS's dispatch opens the typesupports by name alone, where this prefix is not searched: the
    # extension needs them, so that they are there by then
    _run(
        [
            *command,
            *map(str, objects[package.name, "extension"]),
            *("-Wl,--no-as-needed", *(f"-l{each}" for each in reversed(done))),
            *("-Wl,--as-needed", *(f"-l{each}" for each in runtime)),
            "-o",
            str(package.python / f"{package.name}_s__rosidl_typesupport_c.so"),
        ]
    )


def register(package: Package) -> None:
    """Enters the package in ROS's index and drops the sources from what is installed."""
    index = _OUT / "share/ament_index/resource_index"
    listing = sorted(str(p.relative_to(package.share)) for p in package.share.glob("*/*.*"))
    for kind, text in (("packages", ""), ("rosidl_interfaces", "\n".join(listing))):
        (index / kind).mkdir(parents=True, exist_ok=True)
        (index / kind / package.name).write_text(text)
    for source in package.python.rglob("*.c"):
        source.unlink()


def _sources(package: Package, scratch: Path) -> dict[str, list[Path]]:
    sources = {
        name: [*folder.rglob("*.c"), *folder.rglob("*.cpp")]
        for name in _LIBRARIES
        if (folder := scratch / name / package.name).is_dir()
    }
    sources["rosidl_generator_py"] = [*package.python.rglob("_*_s.c")]
    sources["extension"] = [*package.python.glob("*.ep.*.c")]
    return {library: sorted(paths) for library, paths in sources.items()}


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True)


def main() -> None:
    """Fills ``$out``."""
    packages = {path.name: Package.read(path) for path in sorted(Path(sys.argv[1]).iterdir())}
    for package in packages.values():
        package.close(packages)
    graph = {name: package.uses & packages.keys() for name, package in packages.items()}
    ordered = [packages[name] for name in graphlib.TopologicalSorter(graph).static_order()]
    scratch = Path.cwd() / "scratch"
    scratch.mkdir()
    (_OUT / "lib").mkdir(parents=True)
    for package in ordered:
        generate(package, scratch)
    objects = compile_sources(ordered, scratch)
    for package in ordered:
        link(package, objects)
        register(package)


if __name__ == "__main__":
    main()
