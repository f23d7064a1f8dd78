"""From seeds to a release folder: plan, shards, engines, assembly, swap."""
