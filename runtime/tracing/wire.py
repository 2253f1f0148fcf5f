"""Spans as OTLP over HTTP. Imported only where traces are exported: it loads protobuf."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from urllib.parse import unquote

import httpx
from django.conf import settings
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.trace.v1.trace_pb2 import ResourceSpans, ScopeSpans, Status
from opentelemetry.proto.trace.v1.trace_pb2 import Span as Wire

from runtime.tracing.spans import Span, Trace, Value

SECONDS = 15.0
AGAIN = (408, 429, 500, 502, 503, 504)
_KINDS = {"model": Wire.SPAN_KIND_CLIENT, "tool": Wire.SPAN_KIND_CLIENT}


class NotExported(Exception):
    """The collector did not take it. is_final: another try would end the same way."""

    def __init__(self, message: str, *, is_final: bool = False) -> None:
        super().__init__(message)
        self.message, self.is_final = message, is_final


def body(traces: Iterable[Trace]) -> bytes:
    """The request that exports these traces."""
    scope = ScopeSpans()
    scope.scope.name = "lgstudio"
    for trace in traces:
        scope.spans.extend(_span(trace.id, span) for span in trace.spans)
    resource = ResourceSpans(scope_spans=[scope])
    resource.resource.attributes.extend(_values({"service.name": settings.TRACES_NAME, "service.version": _version()}))
    return ExportTraceServiceRequest(resource_spans=[resource]).SerializeToString()


async def post(content: bytes) -> None:
    """Send a request to the collector. Its address is the installation's own, used as set. Raises NotExported."""
    headers = {
        **_headers(), "Content-Type": "application/x-protobuf", "Content-Encoding": "gzip", "User-Agent": "LGStudio",
    }  # fmt: skip
    try:
        async with httpx.AsyncClient(timeout=SECONDS, trust_env=False) as client:
            reply = await client.post(
                f"{settings.TRACES_TO}/v1/traces", content=gzip.compress(content, 1), headers=headers
            )
    except (httpx.HTTPError, httpx.InvalidURL, ValueError) as error:
        raise NotExported(f"{settings.TRACES_TO} could not be reached ({type(error).__name__}).") from None
    if not reply.is_success:
        words = f"{settings.TRACES_TO} answered with status {reply.status_code}."
        raise NotExported(words, is_final=reply.status_code not in AGAIN)


def _headers() -> dict[str, str]:
    found: dict[str, str] = {}
    for entry in filter(None, settings.TRACES_HEADERS.split(",")):
        name, _, value = entry.partition("=")
        if name.strip():
            found[name.strip()] = unquote(value.strip())
    return found


def _span(trace: bytes, span: Span) -> Wire:
    wire = Wire(
        trace_id=trace, span_id=span.id, parent_span_id=span.parent, name=span.name,
        kind=_KINDS.get(span.kind, Wire.SPAN_KIND_INTERNAL), start_time_unix_nano=_nanos(span.start),
        end_time_unix_nano=_nanos(span.end or span.start),
        attributes=_values({"lgstudio.span": span.kind, **span.values}),
    )  # fmt: skip
    if span.error:
        wire.attributes.extend(_values({"error.type": span.error}))
        wire.status.CopyFrom(Status(code=Status.STATUS_CODE_ERROR, message=span.message or span.error))
    return wire


def _values(values: dict[str, Value]) -> list[KeyValue]:
    return [KeyValue(key=key, value=_value(value)) for key, value in values.items()]


def _value(value: Value) -> AnyValue:
    match value:
        case bool():
            return AnyValue(bool_value=value)
        case int():
            return AnyValue(int_value=value)
        case float():
            return AnyValue(double_value=value)
        case _:
            return AnyValue(string_value=value)


def _nanos(at: datetime) -> int:
    return round(at.timestamp() * 1_000_000) * 1_000


def _version() -> str:
    try:
        return version("lgstudio")
    except PackageNotFoundError:
        return "unversioned"
