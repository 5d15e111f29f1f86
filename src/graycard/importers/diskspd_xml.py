"""diskspd's XML: profile and results of each timespan. It has counts and a time, and no rates."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from graycard.importers.diskspd_span import PERCENTILES, TOOL, Half, Load, Span
from graycard.importers.imported import stated_time
from graycard.importers.rows import count, duration_ns
from graycard.importers.text import number
from graycard.importers.xml_text import parse_xml
from graycard.model import Cache, Operation

_NAMES = {Operation.READ: "Read", Operation.WRITE: "Write"}


def parse(data: bytes) -> tuple[Span, ...]:
    """All timespans of one document; ImportProblem where it is damaged or could do harm."""
    root = parse_xml(data, TOOL)
    profiles = root.findall("Profile/TimeSpans/TimeSpan")
    spans = root.findall("TimeSpan")
    return tuple(
        _span(span, profiles[at] if at < len(profiles) else None, root.find("System")) for at, span in enumerate(spans)
    )


def _span(span: Element, profile: Element | None, system: Element | None) -> Span:
    load = _load(profile, span) if profile is not None else Load()
    bucket_ms = _number(profile, "IoBucketDuration")
    return Span(
        load,
        {operation: _half(span, name, bucket_ms) for operation, name in _NAMES.items()},
        _half(span, "Total", bucket_ms),
        worker_count=count(_text(span, "ThreadCount")),
        elapsed_ns=duration_ns(_text(span, "TestTimeSeconds")),
        bucket_ns=duration_ns(_text(profile, "IoBucketDuration"), 1e6),
        version=_text(system, "Tool/Version") or None,
        began=stated_time(_text(system, "RunTime")),
    )


def _half(span: Element, name: str, bucket_ms: float | None) -> Half:
    targets = span.findall("Thread/Target")
    moved, ops = ("BytesCount", "IOCount") if name == "Total" else (f"{name}Bytes", f"{name}Count")
    latency = {
        percentile: value * 1e6
        for bucket in span.findall("Latency/Bucket")
        if (percentile := _number(bucket, "Percentile")) in PERCENTILES
        and percentile
        and (value := _number(bucket, f"{name}Milliseconds")) is not None
    }
    mean = _number(span, f"Latency/Average{name}Milliseconds")
    return Half(
        moved_bytes=sum(count(_text(target, moved)) or 0 for target in targets),
        ops_count=sum(count(_text(target, ops)) or 0 for target in targets),
        mean_ns=mean * 1e6 if mean else None,
        latency_ns=latency,
        bucket_ops=[
            round((number(bucket.get(name, ""), ".") or 0) * (bucket_ms or 1000) / 1000)
            for bucket in span.findall("Iops/Bucket")
        ],
    )


def _load(profile: Element, span: Element) -> Load:
    targets = profile.findall("Targets/Target")
    load = Load(paths=[_text(target, "Path") for target in targets], time_ns=duration_ns(_text(profile, "Duration")))
    if not targets:
        return load
    first = targets[0]
    sizes = {_text(each, "Path"): count(_text(each, "FileSize")) or 0 for each in span.findall("Thread/Target")}
    load.block_bytes = count(_text(first, "BlockSize"))
    load.random_percent = _random(first)
    load.depth_count = count(_text(first, "RequestCount")) or count(_text(profile, "RequestCount"))
    load.write_percent = round(min(max(_number(first, "WriteRatio") or 0, 0), 100))
    load.server_cache = _flag(first, "DisableLocalCache")
    uncached = load.server_cache or _flag(first, "DisableOSCache") or _flag(first, "DisableAllCache")
    load.cache = Cache.BYPASS if uncached else Cache.WARM
    load.write_through = _flag(first, "WriteThrough") or _flag(first, "DisableAllCache")
    load.compressible_ratio = _compressible(profile, first)
    load.span_bytes = count(str(sum(sizes.values())))
    return load


def _random(target: Element) -> int:
    ratio = _number(target, "RandomRatio")
    if ratio is not None and 0 <= ratio <= 100:
        return round(ratio)
    return 100 if target.find("Random") is not None else 0


def _compressible(profile: Element, target: Element) -> float | None:
    if _flag(profile, "RandomWriteData"):
        return 0.0
    source = target.find("WriteBufferContent/RandomDataSource/FilePath")
    if source is not None:
        return None
    return {"random": 0.0, "sequential": 1.0, "zero": 1.0}.get(_text(target, "WriteBufferContent/Pattern"))


def _text(element: Element | None, path: str) -> str:
    return (element.findtext(path) or "").strip() if element is not None else ""


def _number(element: Element | None, path: str) -> float | None:
    return number(_text(element, path), ".")


def _flag(element: Element, path: str) -> bool:
    return _text(element, path) == "true"
