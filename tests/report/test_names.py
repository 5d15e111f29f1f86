"""No two results that stand together are called the same."""

from __future__ import annotations

import dataclasses

from graycard.model import Origin
from graycard.report.names import engines, task_names
from tests.report.examples import BAD, GOOD

OTHER_ENGINE = dataclasses.replace(GOOD, origin=Origin("graycard", "0.1.0", "fio"))
OTHER_SIZE = dataclasses.replace(GOOD, task=dataclasses.replace(GOOD.task, span_bytes=1 << 24))


def test_labels_are_enough_where_they_differ() -> None:
    assert task_names((GOOD, BAD)) == ("SEQ1M QD8 read", "RND4K QD64 write")


def test_the_engine_is_named_where_two_measured() -> None:
    assert task_names((GOOD, OTHER_ENGINE)) == ("SEQ1M QD8 read (native)", "SEQ1M QD8 read (fio)")
    assert engines((GOOD, OTHER_ENGINE, GOOD)) == "native, fio"


def test_the_size_is_named_where_it_differs() -> None:
    assert task_names((GOOD, OTHER_SIZE, BAD)) == (
        "SEQ1M QD8 read of 1G",
        "SEQ1M QD8 read of 16M",
        "RND4K QD64 write of 1G",
    )
