"""What `graycard why` and `graycard watch` found, as one value to print, to keep and to report."""

from __future__ import annotations

import secrets
import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from graycard import __version__
from graycard.diagnosis.material import Material
from graycard.diagnosis.sight import Sight
from graycard.diagnosis.watched import Cost
from graycard.model import SCHEMA
from graycard.model.diagnosis import Case, Evidence, MonitorCost
from graycard.why import judge


@dataclass(frozen=True, slots=True)
class WhyPlanDocument:
    """What `why --plan --json` prints."""

    schema: str = SCHEMA
    says: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Frame:
    """What is known of a diagnosis beforehand."""

    id: str
    command: str
    created_at: datetime
    place: str
    server: str | None
    repeat: str
    seed: int | None = None

    @classmethod
    def now(cls, command: str, now: datetime, place: str, server: str | None, repeat: str, seed: int | None) -> Frame:
        """With a new id."""
        return cls(secrets.token_hex(8), command, now, place, server, repeat, seed)


def case_of(frame: Frame, material: Material, *, is_whole: bool) -> Case:
    """What is known now."""
    return _case(frame, material.evidence(), material.cost, tuple(material.says), is_whole=is_whole)


def case_of_sight(frame: Frame, sight: Sight) -> Case:
    """What was seen of another program's copy."""
    return _case(frame, sight.evidence(), sight.cost, tuple(sight.says), is_whole=True)


def _case(frame: Frame, evidence: Evidence, cost: Cost, says: tuple[str, ...], *, is_whole: bool) -> Case:
    return Case(
        schema=SCHEMA,
        command=frame.command,
        id=frame.id,
        created_at=frame.created_at,
        tool_version=__version__,
        place=frame.place,
        server=frame.server,
        repeat=frame.repeat,
        seed=frame.seed,
        is_whole=is_whole,
        diagnosis=judge(evidence),
        evidence=evidence,
        cost=MonitorCost(cost.near_ratio, cost.far_ratio),
        says=says,
    )


def command_line(command: str, subject: str, options: Mapping[str, object]) -> str:
    """The command that asks the same again; options that are None or False are left out, True ones stand alone."""
    return " ".join(("graycard", command, shlex.quote(subject), *_words(options)))


def _words(options: Mapping[str, object]) -> Iterator[str]:
    for name, value in options.items():
        for each in value if isinstance(value, tuple) else (value,):
            if each is True:
                yield name
            elif each is not None and each is not False:
                yield f"{name} {shlex.quote(str(each))}"
