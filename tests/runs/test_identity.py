from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest

from fieldproof.runs import is_run_id, make_run_id

DIGEST = "0123456789abcdef" * 4
UNIQUE = UUID("deadbeef-0000-4000-8000-000000000000")


def test_a_run_id_tells_scenario_start_and_instance():
    now = datetime(2026, 3, 1, 14, 5, 6, 999999, tzinfo=timezone(timedelta(hours=2)))
    assert make_run_id(DIGEST, now=now, unique=UNIQUE) == "01234567-20260301T120506Z-deadbeef"


def test_run_ids_of_one_scenario_sort_by_start():
    start = datetime(2026, 9, 9, tzinfo=UTC)
    ids = [make_run_id(DIGEST, now=start + timedelta(hours=n), unique=UNIQUE) for n in range(40)]
    assert ids == sorted(ids)
    assert len(set(ids)) == 40


@pytest.mark.parametrize("digest", ["", "0123", "XYZ" * 20, "ABCDEF01" * 8, "../../.." * 8])
def test_only_a_sha256_names_a_scenario(digest):
    with pytest.raises(ValueError, match="SHA-256"):
        make_run_id(digest, now=datetime(2026, 1, 1, tzinfo=UTC), unique=UNIQUE)


def test_a_start_without_time_zone_is_refused():
    with pytest.raises(ValueError, match="time zone"):
        make_run_id(DIGEST, now=datetime(2026, 1, 1), unique=UNIQUE)  # noqa: DTZ001


@pytest.mark.parametrize(
    "text", ["latest", "by-digest", "", "01234567-20260301T120506Z-deadbeef/.."]
)
def test_other_names_are_no_run_ids(text):
    assert not is_run_id(text)
