"""What people do today to get Parquet: the published way, then ``load_dataset("json")``, then ``to_parquet``."""

from __future__ import annotations

import sys
from pathlib import Path

import published_way
from datasets import load_dataset


def main(out: Path) -> None:
    """Write the four JSONL files and a Parquet file of each into `out`."""
    published_way.main(out)
    for path in sorted(out.glob("*.jsonl")):
        rows = load_dataset("json", data_files=str(path), split="train", cache_dir=str(out / "cache"))
        rows.to_parquet(str(path.with_suffix(".parquet")))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
