"""Changes that an attacker or a bad disk could make to a release folder.

Each takes the folder and a random generator, changes something, and returns the path that a report must name.
`reseal` makes manifest and checksums agree with the changed files again, as an attacker would.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from pipeline.build.digest import digest_file
from pipeline.build.encode import PARQUET_OPTIONS
from pipeline.build.manifest import MANIFEST, SUMS, UNLISTED, checksum_lines

Tampering = Callable[[Path, random.Random], str]


def paths(folder: Path) -> list[str]:
    """List the files of a folder."""
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def reseal(folder: Path) -> None:
    """Write manifest and checksums that agree with the files as they are."""
    manifest = json.loads((folder / MANIFEST).read_bytes())
    listed = [path for path in paths(folder) if path not in UNLISTED]
    digests = [digest_file(folder, path) for path in listed]
    manifest["files"] = [{"path": file.path, "bytes": file.bytes, "sha256": file.sha256} for file in digests]
    by_path = {file.path: file for file in digests}
    for config, splits in manifest["configs"].items():
        for split, rows in splits.items():
            file = by_path.get(f"data/{config}-{split}.jsonl")
            if file:
                rows.update(bytes=file.bytes, rows_sha256=file.sha256)
    write_manifest(folder, manifest)


def write_manifest(folder: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest in its canonical form, and checksums that agree with it."""
    text = json.dumps(manifest, indent=2, sort_keys=True, ensure_ascii=False) + "\n"
    (folder / MANIFEST).write_text(text, encoding="utf-8")
    (folder / SUMS).write_bytes(checksum_lines(digest_file(folder, path) for path in paths(folder) if path != SUMS))


def any_file(folder: Path, chance: random.Random) -> Path:
    return folder / chance.choice(paths(folder))


def flip_byte(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    data = bytearray(path.read_bytes())
    data[chance.randrange(len(data))] ^= chance.randrange(1, 256)
    path.write_bytes(data)
    return path.relative_to(folder).as_posix()


def drop_byte(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    data = bytearray(path.read_bytes())
    del data[chance.randrange(len(data))]
    path.write_bytes(data)
    return path.relative_to(folder).as_posix()


def add_byte(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    data = bytearray(path.read_bytes())
    data.insert(chance.randrange(len(data) + 1), chance.randrange(256))
    path.write_bytes(data)
    return path.relative_to(folder).as_posix()


def swap_bytes(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    data = bytearray(path.read_bytes())
    one = chance.randrange(len(data))
    other = chance.choice([place for place in range(max(0, one - 200), min(len(data), one + 200))])
    if data[one] == data[other]:
        data[one] ^= 1
    else:
        data[one], data[other] = data[other], data[one]
    path.write_bytes(data)
    return path.relative_to(folder).as_posix()


def truncate(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    data = path.read_bytes()
    path.write_bytes(data[: chance.randrange(len(data))])
    return path.relative_to(folder).as_posix()


def delete(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    path.unlink()
    return path.relative_to(folder).as_posix()


def rename(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    path.rename(path.with_name(path.name + "x"))
    return path.relative_to(folder).as_posix()


def add_file(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    extra = path.with_name(f"extra-{path.name}")
    extra.write_bytes(path.read_bytes())
    return extra.relative_to(folder).as_posix()


def swap_files(folder: Path, chance: random.Random) -> str:
    one, other = (folder / path for path in chance.sample(paths(folder), 2))
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    return one.relative_to(folder).as_posix()


def file_to_folder(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    path.unlink()
    path.mkdir()
    return path.relative_to(folder).as_posix()


def file_to_link(folder: Path, chance: random.Random) -> str:
    path = any_file(folder, chance)
    outside = folder.parent / f"outside-{path.name}"
    path.rename(outside)
    path.symlink_to(outside)
    return path.relative_to(folder).as_posix()


def jsonl(folder: Path, chance: random.Random) -> tuple[Path, list[bytes]]:
    path = chance.choice(sorted((folder / "data").iterdir()))
    return path, path.read_bytes().splitlines(keepends=True)


def drop_row(folder: Path, chance: random.Random) -> str:
    path, lines = jsonl(folder, chance)
    del lines[chance.randrange(len(lines))]
    path.write_bytes(b"".join(lines))
    return path.relative_to(folder).as_posix()


def repeat_row(folder: Path, chance: random.Random) -> str:
    path, lines = jsonl(folder, chance)
    lines.append(chance.choice(lines))
    path.write_bytes(b"".join(lines))
    return path.relative_to(folder).as_posix()


def swap_rows(folder: Path, chance: random.Random) -> str:
    path, lines = jsonl(folder, chance)
    one, other = chance.sample(range(len(lines)), 2)
    lines[one], lines[other] = lines[other], lines[one]
    path.write_bytes(b"".join(lines))
    return path.relative_to(folder).as_posix()


def change_value(folder: Path, chance: random.Random) -> str:
    path, lines = jsonl(folder, chance)
    at = chance.randrange(len(lines))
    row = json.loads(lines[at])
    holder, key = chance.choice(list(leaves(row)))
    holder[key] = holder[key] + 1 if isinstance(holder[key], int) else holder[key] + "0"
    lines[at] = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(b"".join(lines))
    return path.relative_to(folder).as_posix()


def reorder_keys(folder: Path, chance: random.Random) -> str:
    path, lines = jsonl(folder, chance)
    at = chance.randrange(len(lines))
    row = dict(reversed(json.loads(lines[at]).items()))
    lines[at] = json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    path.write_bytes(b"".join(lines))
    return path.relative_to(folder).as_posix()


def leaves(value: Any) -> Iterator[tuple[Any, Any]]:
    """Yield (holder, key) of every leaf."""
    for key, item in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(item, dict | list):
            yield from leaves(item)
        else:
            yield value, key


def parquet(folder: Path, chance: random.Random) -> tuple[Path, pa.Table]:
    path = chance.choice(sorted(folder.rglob("*.parquet")))
    return path, pq.read_table(path)


def rename_column(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    names = table.column_names
    names[chance.randrange(len(names))] += "x"
    pq.write_table(table.rename_columns(names), path, **PARQUET_OPTIONS)
    return path.relative_to(folder).as_posix()


def drop_column(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    pq.write_table(table.drop_columns([chance.choice(table.column_names)]), path, **PARQUET_OPTIONS)
    return path.relative_to(folder).as_posix()


def retype_column(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    at = table.column_names.index("seed")
    pq.write_table(table.set_column(at, "seed", table["seed"].cast(pa.int32())), path, **PARQUET_OPTIONS)
    return path.relative_to(folder).as_posix()


def add_metadata(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    with pq.ParquetWriter(path, table.schema, **PARQUET_OPTIONS) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({"note": "x" * chance.randrange(1, 9)})
    return path.relative_to(folder).as_posix()


def recompress(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    change = chance.choice([{"compression": "snappy", "compression_level": None}, {"compression_level": 1}])
    pq.write_table(table, path, **{**PARQUET_OPTIONS, **change})
    return path.relative_to(folder).as_posix()


def without_page_index(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    pq.write_table(table, path, **{**PARQUET_OPTIONS, "write_page_index": False})
    return path.relative_to(folder).as_posix()


def regroup(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    pq.write_table(table, path, row_group_size=chance.randrange(1, table.num_rows), **PARQUET_OPTIONS)
    return path.relative_to(folder).as_posix()


def drop_parquet_row(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    at = chance.randrange(table.num_rows)
    kept = pa.concat_tables([table.slice(0, at), table.slice(at + 1)]).combine_chunks()
    pq.write_table(kept, path, **PARQUET_OPTIONS)
    return path.relative_to(folder).as_posix()


def no_parquet_rows(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    pq.write_table(table.slice(0, 0), path, **PARQUET_OPTIONS)
    return path.relative_to(folder).as_posix()


def null_a_value(folder: Path, chance: random.Random) -> str:
    path, table = parquet(folder, chance)
    rows = table.to_pylist()
    rows[chance.randrange(len(rows))]["mode"] = None
    pq.write_table(pa.Table.from_pylist(rows, schema=table.schema), path, **PARQUET_OPTIONS)
    return path.relative_to(folder).as_posix()


def change_shipped_file(folder: Path, chance: random.Random) -> str:
    candidates = [path for path in paths(folder) if path.split("/")[0] in ("LICENSE", ".gitattributes", "schemas")]
    path = folder / chance.choice(candidates)
    path.write_bytes(path.read_bytes().rstrip() + b" \n")
    return path.relative_to(folder).as_posix()


def change_manifest(folder: Path, chance: random.Random) -> str:
    """Change one value; the shard size apart, which says nothing as long as there is one shard."""
    manifest = json.loads((folder / MANIFEST).read_bytes())
    holder, key = chance.choice([(holder, key) for holder, key in leaves(manifest) if key != "rows_per_shard"])
    value, spoken_of = holder[key], MANIFEST
    if isinstance(holder, dict):
        spoken_of = holder.get("path", MANIFEST)
    holder[key] = (not value) if isinstance(value, bool) else value + 1 if isinstance(value, int) else value + "0"
    write_manifest(folder, manifest)
    return str(spoken_of)


def drop_manifest_entry(folder: Path, chance: random.Random) -> str:
    manifest = json.loads((folder / MANIFEST).read_bytes())
    holder = chance.choice([manifest, *(manifest[key] for key in ("files", "configs", "versions", "generator"))])
    dropped = holder.pop(chance.choice(sorted(holder) if isinstance(holder, dict) else range(len(holder))))
    write_manifest(folder, manifest)
    return str(dropped["path"]) if holder is manifest.get("files") else MANIFEST


def add_manifest_entry(folder: Path, chance: random.Random) -> str:
    manifest = json.loads((folder / MANIFEST).read_bytes())
    holder = chance.choice([manifest, manifest["configs"], manifest["versions"], manifest["generator"]])
    holder["extra"] = chance.choice(["x", 1, {}, None])
    write_manifest(folder, manifest)
    return MANIFEST


def path_out_of_the_folder(folder: Path, chance: random.Random) -> str:
    manifest = json.loads((folder / MANIFEST).read_bytes())
    chance.choice(manifest["files"])["path"] = chance.choice(
        ["../manifest.json", "/etc/hostname", "data/../../x", "a//b"]
    )
    write_manifest(folder, manifest)
    return MANIFEST


def resealed(tampering: Tampering) -> Tampering:
    """Hide a change from the checksums."""

    def change_and_reseal(folder: Path, chance: random.Random) -> str:
        place = tampering(folder, chance)
        reseal(folder)
        return place

    change_and_reseal.__name__ = f"{tampering.__name__}_resealed"
    return change_and_reseal


RAW = [flip_byte, drop_byte, add_byte, swap_bytes, truncate, delete, rename, add_file, swap_files]
RAW += [file_to_folder, file_to_link]
ROWS = [drop_row, repeat_row, swap_rows, change_value, reorder_keys]
PARQUET = [rename_column, drop_column, retype_column, add_metadata, recompress, without_page_index, regroup]
PARQUET += [drop_parquet_row, no_parquet_rows, null_a_value]
ENTRIES = [change_manifest, drop_manifest_entry, add_manifest_entry, path_out_of_the_folder]
TAMPERINGS: list[Tampering] = [
    *RAW,
    *ROWS,
    *map(resealed, ROWS),
    *map(resealed, PARQUET),
    *map(resealed, [change_shipped_file, add_file]),
    *ENTRIES,
]
