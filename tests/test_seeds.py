"""Seeds as people write them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.errors import UsageError
from pipeline.seeds import MAX_SEED, Seeds


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("7", [7]),
        ("1-3,10", [1, 2, 3, 10]),
        ("10,1-3", [1, 2, 3, 10]),
        (" 1 , 3 - 4".replace("3 - 4", "3-4"), [1, 3, 4]),
        ("0", [0]),
        (f"{MAX_SEED}", [MAX_SEED]),
        ("007", [7]),
    ],
)
def test_reads_numbers_and_ranges(text: str, listed: list[int]) -> None:
    assert list(Seeds.parse(text)) == listed


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "neither a seed nor a range"),
        ("1,", "neither a seed nor a range"),
        ("a", "neither a seed nor a range"),
        ("-5", "neither a seed nor a range"),
        ("1.5", "neither a seed nor a range"),
        ("1-2-3", "neither a seed nor a range"),
        ("٣", "neither a seed nor a range"),
        ("1 2", "neither a seed nor a range"),
        ("5-1", "runs backwards; write 1-5"),
        ("1-5,3", "names seed 3 twice"),
        ("3,3", "names seed 3 twice"),
        ("1-5,2-3", "names seed 2 twice"),
        (str(MAX_SEED + 1), "above 2^63-1"),
        ("9" * 10_000, "above 2^63-1"),
    ],
)
def test_refuses_anything_else(text: str, says: str) -> None:
    with pytest.raises(UsageError, match=says.replace("^", r"\^")):
        Seeds.parse(text)


def test_all_seeds_cost_nothing() -> None:
    seeds = Seeds.parse(f"0-{MAX_SEED}")
    assert seeds.count == 2**63
    assert next(iter(seeds.runs(1000))) == Seeds.parse("0-999")
    assert MAX_SEED in seeds
    assert -1 not in seeds


@given(st.sets(st.integers(0, 60), min_size=1), st.integers(1, 9))
def test_text_and_runs_keep_every_seed_in_order(seeds: set[int], size: int) -> None:
    parsed = Seeds.parse(",".join(map(str, seeds)))
    assert list(parsed) == sorted(seeds)
    assert Seeds.parse(str(parsed)) == parsed
    assert parsed.count == len(seeds)
    runs = list(parsed.runs(size))
    assert [seed for run in runs for seed in run] == sorted(seeds)
    assert all(run.count == size for run in runs[:-1])
    assert 1 <= runs[-1].count <= size
