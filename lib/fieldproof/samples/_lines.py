import json
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from fieldproof.samples._sample import ENVELOPE, Sample, SampleError

_FLOAT = "$float"
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")
_NON_FINITE = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}

_encoder = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
)


def format_sample(sample: Sample) -> str:
    """Return the sample's canonical line, ended by a newline.

    Keys are sorted and numbers shortest-exact, so equal samples give equal bytes in UTF-8. JSON
    has no NaN and no infinities: they are written as `{"$float":"nan"}`, `"inf"` and `"-inf"`.

    Raises:
        SampleError: The data has no such form.
    """
    data = sample.to_data()
    if len(data) != len(sample.data) + len(ENVELOPE):
        raise SampleError("the data of a sample has no field called kind, wall or sim")
    try:
        line = _encoder.encode(data)
    except ValueError:
        line = _encoder.encode(_finite(data))
    except TypeError as error:
        raise SampleError(str(error)) from error
    if not line.isascii() and _LONE_SURROGATE.search(line):
        line = _LONE_SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", line)
    return line + "\n"


def parse_sample(line: str | bytes) -> Sample:
    """Return the sample of one line; the inverse of `format_sample`.

    Raises:
        SampleError: It is no JSON object, repeats a key, or is not a sample.
    """
    try:
        data = _decoder.decode(line if isinstance(line, str) else line.decode())
    except UnicodeDecodeError:
        raise SampleError("it is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise SampleError(f"it is not JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise SampleError("it is nested too deeply") from None
    except SampleError:
        raise
    except ValueError as error:  # more digits than an int is read of
        raise SampleError(f"it is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise SampleError("it is not a JSON object")
    try:
        return Sample.from_data(data)
    except OverflowError:
        raise SampleError("a number in it is too large") from None


@dataclass(frozen=True, slots=True)
class Truncation:
    """The rest of a stream that was cut within its last line.

    Attributes:
        line: The number of the cut line, counted from 1.
        offset: Bytes of the stream before that line.
        size: Bytes left of it.
    """

    line: int
    offset: int
    size: int


class SampleParser:
    """Turns the bytes of samples.jsonl, however they are cut, into samples.

    Memory is bounded by the longest line.
    """

    def __init__(self) -> None:
        self._rest: list[bytes] = []
        self._line = 0
        self._offset = 0

    def feed(self, chunk: bytes) -> list[Sample]:
        """Return the samples of the lines that the chunk completes.

        Raises:
            SampleError: A whole line is not a sample; it carries the line's number.
        """
        return list(self.each(chunk))

    def each(self, chunk: bytes) -> Iterator[Sample]:
        """Yield what `feed` returns one by one, so that samples before a damaged line are had.

        The iterator must be exhausted before the next chunk.

        Raises:
            SampleError: A whole line is not a sample; it carries the line's number.
        """
        if b"\n" not in chunk:
            self._rest.append(chunk)
            return
        *lines, rest = b"".join([*self._rest, chunk]).split(b"\n")
        self._rest = [rest]
        for line in lines:
            yield self._parse(line)

    def close(self) -> tuple[list[Sample], Truncation | None]:
        """Return the last line, if it lacks only its newline, or else what is left of it."""
        rest = b"".join(self._rest)
        if not rest:
            return [], None
        try:
            sample = parse_sample(rest)
        except SampleError:
            return [], Truncation(self._line + 1, self._offset, len(rest))
        self._rest = []
        return [sample], None

    def _parse(self, line: bytes) -> Sample:
        self._line += 1
        self._offset += len(line) + 1
        try:
            return parse_sample(line)
        except SampleError as error:
            raise SampleError(error.what, line=self._line) from None


def parse_samples(chunks: Iterable[bytes]) -> Iterator[Sample | Truncation]:
    """Yield the samples of a stream, such as a file open for reading in binary.

    A stream cut within its last line ends with a `Truncation` instead of that sample.

    Raises:
        SampleError: A whole line is not a sample.
    """
    parser = SampleParser()
    for chunk in chunks:
        yield from parser.each(chunk)
    samples, truncation = parser.close()
    yield from samples
    if truncation:
        yield truncation


def _finite(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return {_FLOAT: "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def _object(pairs: list[tuple[str, Any]]) -> Any:
    data = dict(pairs)
    if len(data) != len(pairs):
        raise SampleError("a key stands twice")
    if _FLOAT in data:
        named = data[_FLOAT]
        if len(data) > 1 or not isinstance(named, str) or named not in _NON_FINITE:
            raise SampleError(f"{_FLOAT} must be nan, inf or -inf, alone")
        return _NON_FINITE[named]
    return data


def _refuse(constant: str) -> Any:
    raise SampleError(f"{constant} is not JSON")


_decoder = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_refuse)
