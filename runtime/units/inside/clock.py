"""Sameness: within a call no clock moves, and everything random follows from the seed.

A step that is run again after a crash must send the same requests, so it gets the same clock and seed again.
The event loop keeps the real clock, so asyncio.sleep and timeouts work as usual.
"""

import ctypes
import datetime
import gc
import os
import random
import time
import uuid

_real = {name: getattr(time, name) for name in ("gmtime", "localtime", "strftime", "ctime", "asctime", "monotonic")}
_from_timestamp = datetime.datetime.fromtimestamp
_date_from_timestamp = datetime.date.fromtimestamp
_bytes = random.Random(0)  # noqa: S311 - sameness is the point


class _At:
    seconds = 0.0


def begin(seed: str, seconds: float) -> None:
    """Start a call: clock in seconds since 1970, seed any text."""
    _At.seconds = seconds
    random.seed(seed)
    _bytes.seed("bytes:" + seed)


def _now(cls, tz=None):
    return _from_timestamp(_At.seconds, tz) if cls is datetime.datetime else cls.fromtimestamp(_At.seconds, tz)


def _utcnow(cls):
    moment = _from_timestamp(_At.seconds, datetime.UTC).replace(tzinfo=None)
    return moment if cls is datetime.datetime else cls.combine(moment.date(), moment.time())


def _datetime_today(cls):
    return _now(cls)


def _date_today(cls):
    return _date_from_timestamp(_At.seconds) if cls is datetime.date else cls.fromtimestamp(_At.seconds)


def _set(kind: type, **methods) -> None:
    """Replace class methods of a built-in type in place, so that isinstance and type() stay as everybody knows them."""
    names = gc.get_referents(kind.__dict__)[0]
    for name, function in methods.items():
        names[name] = classmethod(function)
    ctypes.pythonapi.PyType_Modified(ctypes.py_object(kind))


def _urandom(size: int) -> bytes:
    return _bytes.randbytes(size)


def _seed(self, a=None, version=2, seed=random.Random.seed):
    seed(self, _bytes.randbytes(32) if a is None else a, version)


def _uuid4() -> uuid.UUID:
    return uuid.UUID(bytes=_bytes.randbytes(16), version=4)


def _uuid1(node=None, clock_seq=None) -> uuid.UUID:
    return uuid.UUID(bytes=_bytes.randbytes(16), version=1)


def freeze() -> None:
    """Replace the clocks and the sources of chance, once, in the zygote."""
    _set(datetime.datetime, now=_now, utcnow=_utcnow, today=_datetime_today)
    _set(datetime.date, today=_date_today)
    for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
        setattr(time, name, lambda: _At.seconds)
        setattr(time, name + "_ns", lambda: int(_At.seconds * 1_000_000_000))
    for name in ("gmtime", "localtime", "ctime"):
        setattr(time, name, lambda seconds=None, real=_real[name]: real(_At.seconds if seconds is None else seconds))
    time.asctime = lambda moment=None: _real["asctime"](time.localtime() if moment is None else moment)
    time.strftime = lambda form, moment=None: _real["strftime"](form, time.localtime() if moment is None else moment)
    time.clock_gettime = lambda _: _At.seconds
    time.clock_gettime_ns = lambda _: int(_At.seconds * 1_000_000_000)
    os.urandom = _urandom
    random.Random.seed = _seed
    random.__dict__["_urandom"] = _urandom
    uuid.uuid4 = _uuid4
    uuid.uuid1 = _uuid1


def real_monotonic() -> float:
    """Seconds that do move, for the event loop."""
    return _real["monotonic"]()
