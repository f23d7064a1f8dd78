"""Prints the CPU seconds that rendering the card adds to a build, its imports included."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import pipeline.build.assemble  # noqa: F401  (what a build has loaded anyway)
from pipeline.build.manifest import read_manifest
from pipeline.card.render import render_card
from pipeline.families import get_family

folder = Path(sys.argv[1])
manifest = read_manifest(folder)
family = get_family(manifest.family)
start = time.process_time()
render_card(folder, family, manifest)
print(time.process_time() - start)
