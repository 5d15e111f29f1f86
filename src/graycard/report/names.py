"""What to call the tasks of results that stand together, so that no two are called the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from graycard.model import Result, short_size
from graycard.report.printable import printable


def task_names(results: Sequence[Result]) -> tuple[str, ...]:
    """One name for each result: the task's label; with the file's size or the engine where labels alone are alike.

    Another tool's also have the place in its file, as the name of a job.
    """
    sizes = _vary(results, lambda result: None if "span_bytes" in result.task.unstated else result.task.span_bytes)
    tools = _vary(results, lambda result: result.origin.engine)
    places = _vary(results, lambda result: result.origin.imported_from)
    return tuple(_name(result, size=sizes, engine=tools, place=places) for result in results)


def _vary(results: Sequence[Result], what: Callable[[Result], object]) -> bool:
    """Whether two results with one label differ in `what`."""
    seen: dict[str, set[object]] = {}
    for result in results:
        seen.setdefault(result.task.label, set()).add(what(result))
    return any(len(values) > 1 for values in seen.values())


def _name(result: Result, *, size: bool, engine: bool, place: bool) -> str:
    name = result.task.label
    if size and "span_bytes" not in result.task.unstated:
        name += f" of {short_size(result.task.span_bytes)}"
    if engine:
        name += f" ({result.origin.engine or 'unknown engine'})"
    if place and result.origin.imported_from:
        name += f" ({result.origin.imported_from.rpartition(': ')[2]})"
    return printable(name)


def engines(results: Sequence[Result]) -> str:
    """The engines that measured, each once, with what they used: "native (io_uring)"."""
    return ", ".join(dict.fromkeys(_engine(result) for result in results if result.origin.engine))


def _engine(result: Result) -> str:
    name = result.origin.engine or ""
    used = next((run.samples.engine for run in result.runs), name)
    return name if used == name else f"{name} ({used})"
