"""ASC MHL manifests, written and read."""
