"""Runs the command line as if a family were at its next version: ``python -m … FAMILY VERSION ARGUMENT...``.

In every split the last published seed is replaced by one that no split has, so a row of each config goes and one
comes. A version that is really next is made by editing the family; a rehearsal must not wait for that.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence

from pipeline.cli import run
from pipeline.families import get_family
from pipeline.seeds import Seeds


def replace_last_seeds(
    published: Mapping[str, Seeds], parallel_groups: Sequence[Sequence[str]] = ()
) -> dict[str, Seeds]:
    """Replace the last seed of every split by an unused one.

    Args:
        published: the seeds of each split.
        parallel_groups: splits that hold the same items, so that they get the same seed; no others may share one.
    """
    unused = max(seeds.ranges[-1][1] for seeds in published.values()) + 1
    new: dict[Sequence[str], int] = {}
    replaced = {}
    for split, seeds in published.items():
        group = next((group for group in parallel_groups if split in group), (split,))
        seed = new.setdefault(group, unused + len(new))
        replaced[split] = Seeds.parse(",".join(map(str, [*list(seeds)[:-1], seed])))
    return replaced


def main(name: str, version: str, arguments: list[str]) -> int:
    """Run one command as if the family were at its next version.

    Args:
        name: the family.
        version: its data version from now on.
        arguments: the command and its arguments, as `pipeline.cli.run` takes them.

    Returns:
        The exit code of the command.
    """
    family = type(get_family(name))
    family.default_seeds = replace_last_seeds(family.default_seeds, family.parallel_groups)
    family.data_version = version
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2], sys.argv[3:]))
