import hashlib
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from fieldproof.driving.artefacts import ArtefactError, read_json_and_hash
from fieldproof.driving.files import Identifier
from fieldproof.driving.loading import mapping_in, part_of
from fieldproof.driving.openloop._truth import is_measurable, truth_problems
from fieldproof.model import Problem, ScenarioError, Strict, digest_of, nearest, validated

METADATA = "metadata.yaml"
_MOST_SAMPLES = 10_000_000
_MOST_NAMED = 20
_MOST_COMPARED = 10_000
_ANNOTATED: Mapping[str, str] = {
    "trajectories": "trajectory",
    "objects": "detections",
    "occupancy": "occupancy_grid",
    "controls": "control",
}
"""What an annotation file holds, by its name; others, such as lanes, are hashed and kept apart."""

SampleId = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}$")]


class DatasetMetadata(Strict):
    """`metadata.yaml` of a dataset; keys that are not known are left to their reader."""

    model_config = ConfigDict(extra="allow")

    name: Annotated[str, Field(max_length=200)] = ""
    task: Identifier = "trajectory_prediction"
    miss_threshold_m: Annotated[float, Field(gt=0, le=1e6)] = Field(
        default=2.0, description="A final displacement above it is a miss."
    )
    iou_thresholds: Annotated[
        list[Annotated[float, Field(gt=0, lt=1)]], Field(min_length=1, max_length=20)
    ] = Field(default=[0.5], description="Overlaps at which a detection counts as right.")


class SampleFile(Strict):
    """One sample; what the agent is given, and what would have been right."""

    model_config = ConfigDict(extra="allow")

    sample_id: SampleId
    input: dict[str, Any]
    ground_truth: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Sample:
    """A sample with its annotations.

    Attributes:
        id: its id.
        input: what the agent is given.
        truth: what would have been right: `trajectory`, `control`, `occupancy_grid`,
            `detections`, or other names of them.
    """

    id: str
    input: Mapping[str, Any]
    truth: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Dataset:
    """A dataset on disk; its samples are read one by one.

    Attributes:
        path: as it was named.
        metadata: what its `metadata.yaml` says.
        files: its sample files by name.
        annotations: by what they hold, then by sample.
        hashes: `dataset_path`, `dataset_hash` and the SHA-256 of every file.
    """

    path: str
    metadata: DatasetMetadata
    files: tuple[pathlib.Path, ...]
    annotations: Mapping[str, Mapping[str, Any]]
    hashes: Mapping[str, Any]

    @property
    def read(self) -> tuple[pathlib.Path, ...]:
        """The files that it was made of."""
        keys = ("dataset_sample_hashes", "dataset_annotation_hashes")
        found = [pathlib.Path(one) for key in keys for one in self.hashes[key]]
        if self.hashes["dataset_metadata_hash"] is not None:
            found.append(pathlib.Path(self.path) / METADATA)
        return tuple(found)

    def samples(self) -> Iterator[Sample]:
        """Yield the samples in the order of their files' names.

        Raises:
            ScenarioError: A file is not what it was when the dataset was loaded.
        """
        hashes = self.hashes["dataset_sample_hashes"]
        for path in self.files:
            sample, sha256 = _sample(path)
            if sha256 != hashes[str(path)]:
                what = "was changed while the run went on: nothing is judged; run it again"
                raise ScenarioError(Problem(what, (), "", str(path)))
            yield Sample(sample.sample_id, sample.input, _truth(sample, self.annotations))


def load_dataset(folder: pathlib.Path) -> Dataset:
    """Return the dataset in a folder, all of its files hashed.

    Raises:
        ScenarioError: It is no dataset; says why.
        OSError: A file cannot be read.
    """
    name = str(folder)
    metadata, metadata_hash = DatasetMetadata(), None
    if not folder.is_dir():
        raise ScenarioError(Problem("is no folder", (), "", name))
    path = folder / METADATA
    if _stands(path):
        _check_plain(path, folder)
        document = mapping_in(path, str(path))
        metadata = part_of(document, DatasetMetadata, document.value, ())
        metadata_hash = _sha256(path)
    files = tuple(_json_files(folder, "samples"))
    if not files:
        raise ScenarioError(Problem("has no samples/*.json", (), "", name))
    if len(files) > _MOST_SAMPLES:
        raise ScenarioError(Problem(f"has more than {_MOST_SAMPLES} samples", (), "", name))
    annotations: dict[str, Mapping[str, Any]] = {}
    notes: dict[str, str] = {}
    named: dict[str, pathlib.Path] = {}
    for one in _json_files(folder, "annotations"):
        data, notes[str(one)] = _json(one)
        if one.stem in _ANNOTATED:
            annotations[_ANNOTATED[one.stem]] = _mapping(one, data)
            named[_ANNOTATED[one.stem]] = one
    samples = _checked_samples(name, files, annotations, named)
    inside = {
        str(pathlib.Path(key).relative_to(folder)): one for key, one in (samples | notes).items()
    }
    hashes = {
        "dataset_path": name,
        "dataset_hash": digest_of({"metadata": metadata_hash, "files": inside}),
        "dataset_metadata_hash": metadata_hash,
        "dataset_sample_hashes": samples,
        "dataset_annotation_hashes": notes,
    }
    return Dataset(name, metadata, files, annotations, hashes)


def _checked_samples(
    name: str,
    files: tuple[pathlib.Path, ...],
    annotations: Mapping[str, Mapping[str, Any]],
    named: Mapping[str, pathlib.Path],
) -> dict[str, str]:
    """Read every sample once, so that what is wrong is said before anything is run.

    Returns the SHA-256 of each file, by its path.
    """
    problems: list[Problem] = []
    hashes: dict[str, str] = {}
    seen: dict[str, pathlib.Path] = {}
    measurable = False
    for path in files:
        try:
            sample, hashes[str(path)] = _sample(path)
        except ScenarioError as error:
            problems += error.problems
            continue
        before = seen.setdefault(sample.sample_id, path)
        if before is not path:
            what = f"{sample.sample_id} is that of {before.name} as well"
            problems.append(Problem(what, ("sample_id",), "", str(path)))
        truth = _truth(sample, annotations)
        measurable = measurable or is_measurable(truth)
        for one in truth_problems(truth):
            key = str(one.path[0])
            noted = sample.sample_id in annotations.get(key, {})
            where = (sample.sample_id, *one.path[1:]) if noted else ("ground_truth", *one.path)
            file = str(named[key] if noted else path)
            problems.append(Problem(one.what, where, "", file))
    if len(seen) == len(files):
        problems += _stray_annotations(annotations, named, seen)
    if not problems and not measurable:
        what = "has no ground truth: no prediction could be wrong; give samples a"
        what += " trajectory, control, occupancy_grid or detections, there or in annotations/"
        problems.append(Problem(what, (), "", name))
    if problems:
        raise ScenarioError(problems)
    return hashes


def _stray_annotations(
    annotations: Mapping[str, Mapping[str, Any]],
    named: Mapping[str, pathlib.Path],
    seen: Mapping[str, pathlib.Path],
) -> Iterator[Problem]:
    """Yield the annotations that would not be looked at, the first of each file."""
    for key, values in annotations.items():
        file = str(named[key])
        for one, value in values.items():
            if value is None:
                yield Problem("is null; leave the sample out instead", (one,), "", file)
        stray = [one for one in values if one not in seen]
        for one in stray[:_MOST_NAMED]:
            hint = nearest(one, islice(seen, _MOST_COMPARED))
            yield Problem("is no sample of the dataset", (one,), hint, file)
        if len(stray) > _MOST_NAMED:
            what = f"{len(stray) - _MOST_NAMED} more are no samples of the dataset"
            yield Problem(what, (), "", file)


def _truth(sample: SampleFile, annotations: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    noted = {
        key: values[sample.sample_id]
        for key, values in annotations.items()
        if sample.sample_id in values
    }
    return sample.ground_truth | noted


def _json_files(dataset: pathlib.Path, name: str) -> Iterator[pathlib.Path]:
    """Yield the JSON files in a folder of a dataset; none may be passed over.

    Raises:
        ScenarioError: The folder, or one of them, is none, or lies outside of the dataset.
    """
    folder = dataset / name
    if not _stands(folder):
        return
    if not folder.is_dir():
        raise ScenarioError(Problem("is no folder", (), "", str(folder)))
    for path in sorted(folder.iterdir()):
        if path.suffix == ".json":
            _check_plain(path, dataset)
            yield path


def _check_plain(path: pathlib.Path, dataset: pathlib.Path) -> None:
    what = ""
    if not path.is_file():
        what = "is no plain file; remove it, or put the file there"
    elif not path.resolve().is_relative_to(dataset.resolve()):
        what = "is a link that leads out of the dataset; put the file itself there"
    if what:
        raise ScenarioError(Problem(what, (), "", str(path)))


def _stands(path: pathlib.Path) -> bool:
    """Whether something is there, if only a link to nowhere."""
    return path.exists() or path.is_symlink()


def _sample(path: pathlib.Path) -> tuple[SampleFile, str]:
    """Return a sample and the SHA-256 of its file."""
    data, sha256 = _json(path)
    try:
        return validated(SampleFile, data), sha256
    except ScenarioError as error:
        raise ScenarioError(
            Problem(one.what, one.path, one.hint, str(path)) for one in error.problems
        ) from None


def _mapping(path: pathlib.Path, data: Any) -> Mapping[str, Any]:
    if not isinstance(data, dict):
        raise ScenarioError(Problem("must be a mapping by sample id", (), "", str(path)))
    return data


def _json(path: pathlib.Path) -> tuple[Any, str]:
    """Return what a file holds, and its SHA-256."""
    try:
        return read_json_and_hash(path)
    except ArtefactError as error:
        what = str(error).removeprefix(f"{path} ")
        raise ScenarioError(Problem(what, (), "", str(path))) from None


def _sha256(path: pathlib.Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
