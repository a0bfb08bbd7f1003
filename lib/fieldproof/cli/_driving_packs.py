"""The commands of the packs of driving scenarios."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from fieldproof.cli._errors import reported, stop
from fieldproof.cli._exit_codes import INVALID

_PATH = click.Path(path_type=Path)
_PACKS = click.option(
    "--packs",
    "packs_folder",
    type=_PATH,
    default="packs",
    show_default=True,
    help="Where they are.",
)


@click.group()
def packs() -> None:
    """Look after packs of driving scenarios."""


@packs.command("list")
@_PACKS
def packs_list(packs_folder: Path) -> None:
    """List the packs that are installed."""
    from fieldproof.driving.packs import find_packs, read_pack

    with reported():
        for path in find_packs(packs_folder):
            pack = read_pack(path)
            about = pack.manifest
            count = len(about.scenarios)
            click.echo(
                f"{about.id}  {about.version}  {about.domain}  {count} scenarios  {about.name}"
            )
            click.echo(f"    {pack.digest}")


@packs.command("install")
@click.argument("source", type=_PATH)
@_PACKS
@click.option("--sha256", help="What the archive, or of a folder the pack, must have.")
@click.option("--replace", is_flag=True, help="Replace a pack of the same id.")
def packs_install(source: Path, packs_folder: Path, sha256: str | None, *, replace: bool) -> None:
    """Install a pack from SOURCE, a folder or an archive.

    Exit code 0: installed; 2: refused, and nothing was changed.
    """
    from fieldproof.driving.packs import PackError, install_pack

    with reported():
        try:
            pack = install_pack(source, packs_folder, sha256=sha256, replace=replace)
        except PackError as error:
            stop(str(error), INVALID)
        click.echo(f"{pack.id} {pack.manifest.version}: installed in {pack.path}")


@packs.command("verify")
@click.argument("names", metavar="[PACK]...", nargs=-1)
@_PACKS
def packs_verify(names: tuple[str, ...], packs_folder: Path) -> None:
    """Check every file of each PACK, or of all.

    Exit code 0: all are as their manifests say; 1: not; 2: there is no such pack.
    """
    from fieldproof.driving.packs import PackError, find_packs, named_pack, verify_pack

    differing = False
    with reported():
        try:
            wanted = names or [path.name for path in find_packs(packs_folder)]
            chosen = [named_pack(packs_folder, name) for name in wanted]
        except PackError as error:
            stop(str(error), INVALID)
        if not chosen:
            what = f"{packs_folder} holds no packs, so that nothing was verified"
            stop(f"{what}; name a folder that does with --packs", INVALID)
        for pack in chosen:
            problems = verify_pack(pack)
            differing = differing or bool(problems)
            for problem in problems:
                click.echo(problem, err=True)
            if not problems:
                click.echo(f"{pack.id}: as its manifest says")
    sys.exit(1 if differing else 0)


@packs.command("hash")
@click.argument("folder", type=_PATH)
@click.option("--write", is_flag=True, help="Write them into the manifest.")
def packs_hash(folder: Path, *, write: bool) -> None:
    """Print the SHA-256 of each file that FOLDER's pack.yaml names, for whoever makes a pack.

    Exit code 0: printed, and written if asked; 2: the manifest names no such files.
    """
    from fieldproof.driving.packs import PackError, pack_hashes, read_pack, write_hashes

    with reported():
        try:
            for file, digest in pack_hashes(folder).items():
                click.echo(f"{digest}  {file}")
            if write:
                count = write_hashes(folder)
                click.echo(f"{folder}/pack.yaml: {count} hash{'es' * (count != 1)} written")
                read_pack(folder)  # says whatever else is wrong with it
        except PackError as error:
            stop(str(error), INVALID)
        except FileNotFoundError as error:
            stop(f"{error.filename}: there is no such file; name the folder of a pack", INVALID)
