"""The YAML header of a card: what the Hub and `datasets` read of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pipeline.build.manifest import Manifest, SplitRows
from pipeline.build.plan import SplitPlan
from pipeline.build.shard import PARQUET
from pipeline.families.base import Family
from pipeline.schema import Field, Schema
from pipeline.seeds import Seeds

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))


def make_header(
    family: Family, static: Mapping[str, Any], manifest: Manifest, schemas: Mapping[str, Schema]
) -> dict[str, Any]:
    """Put the header together; nothing of an older card is kept.

    Args:
        family: the family.
        static: the hand-written part: licence, languages, tags, names.
        manifest: the manifest of the release.
        schemas: the schema of each config.

    Returns:
        Plain YAML types, keys in the order in which they are to be written.
    """
    configs = ordered_configs(family, manifest)
    rows = sum(split.rows for splits in configs.values() for split in splits.values())
    header = {**static, "size_categories": [_size_category(rows)]}
    if PARQUET not in manifest.formats:
        return header
    sizes = {file.path: file.bytes for file in manifest.files}
    return {
        **header,
        "configs": [
            _config(config, splits, manifest, is_default=config == family.public_config)
            for config, splits in configs.items()
        ],
        "dataset_info": [
            _dataset_info(config, splits, manifest, schemas[config], sizes) for config, splits in configs.items()
        ],
    }


def _size_category(rows: int) -> str:
    return next((name for limit, name in _SIZES if rows < limit), "n>1M")


def parquet_paths(config: str, split: str, manifest: Manifest) -> list[str]:
    """Return the exact Parquet files of a split, in row order."""
    plan = SplitPlan(split, Seeds.parse(manifest.configs[config][split].seeds), manifest.rows_per_shard)
    return [shard.parquet_path(config) for shard in plan.shards()]


def ordered_configs(family: Family, manifest: Manifest) -> dict[str, dict[str, SplitRows]]:
    """Return the rows of a manifest in the family's order of configs and splits; the file has them sorted by name."""
    return {
        config: {split: manifest.configs[config][split] for split in family.splits if split in manifest.configs[config]}
        for config in family.configs
    }


def _config(config: str, splits: Mapping[str, SplitRows], manifest: Manifest, *, is_default: bool) -> dict[str, Any]:
    files = []
    for split in splits:
        paths = parquet_paths(config, split, manifest)
        files.append({"split": split, "path": paths[0] if len(paths) == 1 else paths})
    return {"config_name": config, **({"default": True} if is_default else {}), "data_files": files}


def _dataset_info(
    config: str, splits: Mapping[str, SplitRows], manifest: Manifest, schema: Schema, sizes: Mapping[str, int]
) -> dict[str, Any]:
    return {
        "config_name": config,
        "features": features_yaml(schema.root),
        "splits": [{"name": name, "num_bytes": rows.bytes, "num_examples": rows.rows} for name, rows in splits.items()],
        "download_size": sum(sizes[path] for split in splits for path in parquet_paths(config, split, manifest)),
        "dataset_size": sum(rows.bytes for rows in splits.values()),
    }


def features_yaml(root: Field) -> list[dict[str, Any]]:
    """Write the features of a row as `datasets` does in a card, in the notation that every release of it reads."""
    return [{"name": child.name, **_feature(child)} for child in root.children]


def _feature(field: Field) -> dict[str, Any]:
    if field.kind == "struct":
        return {"struct": features_yaml(field)}
    if field.kind == "list":
        (item,) = field.children
        return {"list": features_yaml(item) if item.kind == "struct" else _feature(item)["dtype"]}
    return {"dtype": "string" if field.kind == "string" else "int64"}
