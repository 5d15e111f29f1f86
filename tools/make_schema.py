"""Writes docs/schema/graycard-1.json, the JSON Schema of what `--json` prints, from the nouns themselves."""

from __future__ import annotations

import json
from pathlib import Path

from graycard.codec import json_schema
from graycard.model import SCHEMA

PLACE = Path(__file__).parent.parent / "docs" / "schema" / "graycard-1.json"


def text() -> str:
    """The schema as it is published: what is printed always has both fields, and names this version."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": SCHEMA} | json_schema()
    document = schema["$defs"]["Document"]
    document["required"] = ["schema", "results"]
    document["properties"]["schema"] = {"const": SCHEMA}
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    PLACE.write_text(text(), encoding="utf-8")
    print(PLACE)


if __name__ == "__main__":
    main()
