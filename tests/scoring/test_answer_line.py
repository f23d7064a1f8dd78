"""What a line of a file of answers may say."""

from __future__ import annotations

import json
from array import array
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.scoring.answer_line import AnswerLine, BadLine, parse_line
from pipeline.scoring.id_table import IdTable, RepeatedId, fingerprint


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"id": "a", "answer": "x"}, AnswerLine("a", None, None, "x", None)),
        ({"id": "a", "answer": ""}, AnswerLine("a", None, None, "", None)),
        ({"id": "a", "split": "en", "answer": "\ud800"}, AnswerLine("a", None, "en", "\ud800", None)),
        ({"seed": 0, "split": "en", "answer": "x"}, AnswerLine(None, 0, "en", "x", None)),
        ({"id": "a", "infra_error": "timeout"}, AnswerLine("a", None, None, None, "timeout")),
        ({"id": "a", "seed": None, "answer": "x", "infra_error": None}, AnswerLine("a", None, None, "x", None)),
        ({"id": "a", "answer": "x", "model": {"name": "m"}, "tokens": 5}, AnswerLine("a", None, None, "x", None)),
    ],
)
def test_lines_that_are_read(content: dict[str, Any], expected: AnswerLine) -> None:
    assert parse_line(json.dumps(content).encode()) == expected
    assert parse_line(b"  " + json.dumps(content).encode() + b" \r\n") == expected


BAD = {
    b"": "no JSON",
    b"x": "no JSON",
    b"{": "no JSON",
    b'{"id":"a","answer":"x"}{}': "no JSON",
    b'\xef\xbb\xbf{"id":"a","answer":"x"}': "no JSON",
    b'{"id":"\xff","answer":"x"}': "not UTF-8",
    b'{"id":"a","answer":"x","p":NaN}': "NaN",
    b'{"id":"a","answer":"x","p":' + b"9" * 5000 + b"}": "no JSON",
    b"[" * 100_000: "no JSON|nested",
    b'{"id":"a","id":"b","answer":"x"}': "twice",
    b"[]": "no JSON object",
    b'"a"': "no JSON object",
    b"null": "no JSON object",
    b'{"id":1,"answer":"x"}': "id is not a string",
    b'{"seed":"1","split":"en","answer":"x"}': "seed is not an integer",
    b'{"seed":1.0,"split":"en","answer":"x"}': "seed is not an integer",
    b'{"seed":true,"split":"en","answer":"x"}': "seed is not an integer",
    b'{"seed":1,"split":2,"answer":"x"}': "split is not a string",
    b'{"id":"a","answer":[1]}': "answer is not a string",
    b'{"id":"a","answer":{}}': "answer is not a string",
    b'{"id":"a","infra_error":true}': "infra_error is not a string",
    b'{"answer":"x"}': "neither id nor seed",
    b'{"id":null,"answer":"x"}': "neither id nor seed",
    b'{"id":"a","seed":1,"split":"en","answer":"x"}': "both id and seed",
    b'{"seed":1,"answer":"x"}': "no split",
    b'{"id":"a"}': "neither answer nor infra_error",
    b'{"id":"a","answer":null}': "neither answer nor infra_error",
    b'{"id":"a","answer":"","infra_error":"x"}': "both answer and infra_error",
}


@pytest.mark.parametrize("line", BAD, ids=range(len(BAD)))
def test_lines_that_are_not_read(line: bytes) -> None:
    with pytest.raises(BadLine, match=BAD[line]) as caught:
        parse_line(line)
    assert "\n" not in str(caught.value)


@given(st.binary() | st.text().map(str.encode))
def test_no_line_raises_anything_else(line: bytes) -> None:
    with pytest.raises(BadLine):
        parse_line(line)


@given(st.sets(st.text(min_size=1), max_size=60))
def test_every_id_is_found_and_no_other(ids: set[str]) -> None:
    ordered = sorted(ids)
    table = IdTable(array("Q", map(fingerprint, ordered)))
    assert [table.find(row_id) for row_id in ordered] == list(range(len(ordered)))
    assert table.find("") is None


def test_an_id_that_stands_twice_is_noticed() -> None:
    with pytest.raises(RepeatedId):
        IdTable(array("Q", map(fingerprint, ["a", "b", "a"])))
