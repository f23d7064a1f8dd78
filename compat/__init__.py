"""The compatibility proof: every reader that people use gets every value of a release out of its Parquet files.

``python -m compat`` makes a venv a reader, loads the release in each and compares with the JSONL. `compat.check` and
what it imports run inside those venvs, so they use the standard library and the reader, and nothing of `pipeline`.
Outside them `compat.table` takes one thing from `pipeline`, the names of the families, to see that none is left out.
"""
