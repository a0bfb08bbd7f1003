import pathlib
import shutil
from collections.abc import Mapping

from fieldproof.model import canonical_document
from fieldproof.plan._build import Plan


def write_bundle(plan: Plan, directory: pathlib.Path) -> None:
    """Write a plan to `execution/` and `evaluation/` in a directory; see the two writers."""
    write_execution(plan, directory / "execution")
    write_evaluation(plan, directory / "evaluation")


def write_execution(plan: Plan, directory: pathlib.Path) -> None:
    """Write `execution.json` and, beside it, copies of the files that it names.

    Raises:
        OSError: Something cannot be read or written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "execution.json").write_text(canonical_document(plan.execution), "utf-8")
    copy_files(plan.files, directory)


def write_evaluation(plan: Plan, directory: pathlib.Path) -> None:
    """Write `evaluation.json`.

    Raises:
        OSError: It cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    (directory / "evaluation.json").write_text(canonical_document(plan.evaluation), "utf-8")


def copy_files(files: Mapping[str, pathlib.Path], directory: pathlib.Path) -> None:
    """Copy the content of files to relative paths in a directory, without modes and times."""
    for relative, source in files.items():
        target = directory / relative
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source, target)
