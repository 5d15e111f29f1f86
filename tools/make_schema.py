"""Writes docs/schema/graycard-1.json, the JSON Schema of what `--json` prints, from the nouns themselves."""

from __future__ import annotations

import json
from pathlib import Path

from graycard.cli.calibrate import CalibrationDocument
from graycard.cli.copy_page import CopyDocument
from graycard.cli.experiment_documents import ExperimentDocument, ExperimentPlanDocument, ExperimentsDocument
from graycard.cli.import_documents import ImportDocument
from graycard.cli.link_page import LinkDocument
from graycard.cli.measure import PlanDocument
from graycard.cli.media_documents import FitsDocument, FormatsDocument
from graycard.cli.offload_documents import OffloadDocument, OffloadPlanDocument
from graycard.cli.play_documents import PlayDocument, PlayPlanDocument
from graycard.cli.sustain_documents import SustainDocument, SustainPlanDocument
from graycard.cli.why_case import WhyPlanDocument
from graycard.codec import (
    AgreementsDocument,
    ComparisonsDocument,
    Document,
    FactsDocument,
    HistoriesDocument,
    ReportDocument,
    json_schema,
)
from graycard.model import SCHEMA
from graycard.model.diagnosis import Case

DOCUMENTS = (
    Document,
    ComparisonsDocument,
    AgreementsDocument,
    HistoriesDocument,
    ReportDocument,
    PlanDocument,
    PlayDocument,
    PlayPlanDocument,
    ExperimentDocument,
    ExperimentPlanDocument,
    ExperimentsDocument,
    FactsDocument,
    CalibrationDocument,
    LinkDocument,
    CopyDocument,
    Case,
    WhyPlanDocument,
    ImportDocument,
    FormatsDocument,
    FitsDocument,
    SustainDocument,
    SustainPlanDocument,
    OffloadDocument,
    OffloadPlanDocument,
)

PLACE = Path(__file__).parent.parent / "docs" / "schema" / "graycard-1.json"


def text() -> str:
    """The schema as it is published."""
    schema = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": SCHEMA} | json_schema(DOCUMENTS)
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def main() -> None:
    PLACE.parent.mkdir(parents=True, exist_ok=True)
    PLACE.write_text(text(), encoding="utf-8")
    print(PLACE)


if __name__ == "__main__":
    main()
