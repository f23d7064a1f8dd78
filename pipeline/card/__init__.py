"""The dataset card: a pure function of template, static metadata, schemas, manifest, rows and measurements."""
