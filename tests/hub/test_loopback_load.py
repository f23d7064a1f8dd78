"""A dataset on the loopback Hub, loaded by the real ``datasets`` in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from huggingface_hub import CommitOperationAdd, HfApi, close_session, constants

from pipeline.hub.loopback import LoopbackHub

REPO = "me/demo"
CARD = """\
---
configs:
- config_name: worlds
  data_files:
  - split: en
    path: worlds/en-00000-of-00001.parquet
  - split: ru
    path: worlds/ru-00000-of-00001.parquet
- config_name: truth
  data_files:
  - split: en
    path: truth/en-00000-of-00001.parquet
---
# Demo
"""
ROWS = {
    ("worlds", "en"): [{"seed": 1, "date": "2024-03-31"}, {"seed": 2, "date": "2024-04-30"}],
    ("worlds", "ru"): [{"seed": 1, "date": "31 марта"}],
    ("truth", "en"): [{"seed": 1, "answer": "12.00"}, {"seed": 2, "answer": "0.50"}],
}
LOAD = """
import json, sys
from datasets import load_dataset
repo, wanted, revision = sys.argv[1], json.loads(sys.argv[2]), sys.argv[3] or None
for config, split in wanted:
    for streaming in (False, True):
        rows = load_dataset(repo, config, split=split, streaming=streaming, revision=revision)
        print(json.dumps([config, split, streaming, list(rows)]))
"""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[LoopbackHub]:
    monkeypatch.setattr(constants, "HF_HUB_DISABLE_XET", True)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    close_session()
    with LoopbackHub() as hub:
        api = HfApi(endpoint=hub.endpoint, token=hub.token)
        api.create_repo(REPO, repo_type="dataset", private=True)
        adds = [
            CommitOperationAdd(f"{config}/{split}-00000-of-00001.parquet", _parquet(rows))
            for (config, split), rows in ROWS.items()
        ]
        adds.append(CommitOperationAdd("README.md", CARD.encode()))
        api.create_commit(REPO, adds, commit_message="v1", repo_type="dataset")
        api.create_tag(REPO, tag="v1.0.0", repo_type="dataset")
        close_session()
        yield hub


def _parquet(rows: list[dict[str, object]]) -> bytes:
    sink = pa.BufferOutputStream()
    pq.write_table(pa.Table.from_pylist(rows), sink)
    return sink.getvalue().to_pybytes()


@pytest.mark.parametrize("revision", ["", "v1.0.0"])
def test_load_dataset_plain_and_streaming(hub: LoopbackHub, tmp_path: Path, revision: str) -> None:
    wanted = json.dumps([*ROWS])
    command = [sys.executable, "-c", LOAD, REPO, wanted, revision]
    environment = {**os.environ, **hub.environment(tmp_path)}
    done = subprocess.run(command, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    loaded = [json.loads(line) for line in done.stdout.splitlines()]
    assert loaded == [[*key, streaming, rows] for key, rows in ROWS.items() for streaming in (False, True)]
    assert hub.token not in done.stdout + done.stderr
    assert {seen.account for seen in hub.requests if "/resolve/" in seen.path} == {"me"}
