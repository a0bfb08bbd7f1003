import hashlib
import pathlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import ConfigDict, Field

from fieldproof.driving.artefacts import ArtefactError, read_json_file
from fieldproof.driving.files import Identifier
from fieldproof.driving.loading import mapping_in, part_of
from fieldproof.model import Problem, ScenarioError, Strict, digest_of, validated

METADATA = "metadata.yaml"
_MOST_SAMPLES = 10_000_000
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

    def samples(self) -> Iterator[Sample]:
        """Yield the samples in the order of their files' names.

        Raises:
            ScenarioError: A file is no sample any more.
        """
        for path in self.files:
            sample = _sample(path)
            truth = dict(sample.ground_truth)
            for key, values in self.annotations.items():
                if sample.sample_id in values:
                    truth[key] = values[sample.sample_id]
            yield Sample(sample.sample_id, sample.input, truth)


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
    if path.is_file():
        document = mapping_in(path, str(path))
        metadata = part_of(document, DatasetMetadata, document.value, ())
        metadata_hash = _sha256(path)
    files = tuple(_json_files(folder / "samples"))
    if not files:
        raise ScenarioError(Problem("has no samples/*.json", (), "", name))
    if len(files) > _MOST_SAMPLES:
        raise ScenarioError(Problem(f"has more than {_MOST_SAMPLES} samples", (), "", name))
    annotated = list(_json_files(folder / "annotations"))
    annotations = {
        _ANNOTATED[one.stem]: _mapping(one) for one in annotated if one.stem in _ANNOTATED
    }
    samples = {str(one): _sha256(one) for one in files}
    notes = {str(one): _sha256(one) for one in annotated}
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
    _check_samples(files)
    return Dataset(name, metadata, files, annotations, hashes)


def _check_samples(files: tuple[pathlib.Path, ...]) -> None:
    """Read every sample once, so that what is wrong is said before anything is run."""
    problems: list[Problem] = []
    seen: dict[str, pathlib.Path] = {}
    for path in files:
        try:
            sample = _sample(path)
        except ScenarioError as error:
            problems += error.problems
            continue
        before = seen.setdefault(sample.sample_id, path)
        if before is not path:
            what = f"{sample.sample_id} is that of {before.name} as well"
            problems.append(Problem(what, ("sample_id",), "", str(path)))
    if problems:
        raise ScenarioError(problems)


def _json_files(folder: pathlib.Path) -> Iterator[pathlib.Path]:
    if folder.is_dir():
        for path in sorted(folder.iterdir()):
            if path.suffix == ".json" and path.is_file():
                yield path


def _sample(path: pathlib.Path) -> SampleFile:
    try:
        return validated(SampleFile, _json(path))
    except ScenarioError as error:
        if any(one.file for one in error.problems):
            raise
        raise ScenarioError(
            Problem(one.what, one.path, one.hint, str(path)) for one in error.problems
        ) from None


def _mapping(path: pathlib.Path) -> Mapping[str, Any]:
    data = _json(path)
    if not isinstance(data, dict):
        raise ScenarioError(Problem("must be a mapping by sample id", (), "", str(path)))
    return data


def _json(path: pathlib.Path) -> Any:
    try:
        return read_json_file(path)
    except ArtefactError as error:
        what = str(error).removeprefix(f"{path} ")
        raise ScenarioError(Problem(what, (), "", str(path))) from None


def _sha256(path: pathlib.Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
