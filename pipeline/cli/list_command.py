"""``closebench-hub list``."""

from __future__ import annotations

import click

from pipeline.cli.output import print_json, print_table


@click.command("list", short_help="List families, splits, rows, versions, pins.")
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def command(as_json: bool) -> None:
    """List the families: configs, splits, rows, data version, generator, pin.

    \b
    Example:
      closebench-hub list --json
    """
    from pipeline.families import FAMILIES, get_family
    from pipeline.pins import pin_name, read_pin

    families = [get_family(name) for name in FAMILIES]
    if as_json:
        print_json(
            [
                {
                    "family": family.name,
                    "title": family.title,
                    "data_version": family.data_version,
                    "generator": family.requirement,
                    "configs": list(family.configs),
                    "splits": {
                        split: {"rows": seeds.count, "seeds": str(seeds)}
                        for split, seeds in family.default_seeds.items()
                    },
                    "pin": read_pin(family),
                }
                for family in families
            ]
        )
        return
    print_table(
        ("family", "config", "split", "rows", "seeds", "data version", "generator", "pin"),
        [
            (
                family.name,
                config,
                split,
                seeds.count,
                seeds,
                family.data_version,
                family.requirement,
                read_pin(family).get(pin_name(config, split), "none")[:8],
            )
            for family in families
            for config in family.configs
            for split, seeds in family.default_seeds.items()
        ],
    )
