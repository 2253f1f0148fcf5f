"""Bytes as text, in whatever writing they come."""

from __future__ import annotations

import codecs
import contextlib
import re

_KNOWN = (
    "utf-8", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "ascii", "big5", "big5hkscs", "cp437", "cp850", "cp852",
    "cp855", "cp857", "cp858", "cp862", "cp866", "cp874", "cp932", "cp949", "cp950", "cp1250", "cp1251", "cp1252",
    "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp1258", "euc-jp", "euc-kr", "gb2312", "gb18030", "gbk",
    "iso2022-jp", "iso2022-kr", "iso8859-1", "iso8859-2", "iso8859-3", "iso8859-4", "iso8859-5", "iso8859-6",
    "iso8859-7", "iso8859-8", "iso8859-9", "iso8859-10", "iso8859-13", "iso8859-14", "iso8859-15", "iso8859-16",
    "koi8-r", "koi8-u", "mac-roman", "mac-cyrillic", "shift-jis", "tis-620", "unicode-escape", "raw-unicode-escape",
)  # fmt: skip
for _name in _KNOWN:
    # Looked up here, because later nothing more is read from disk.
    with contextlib.suppress(LookupError):
        codecs.lookup(_name)

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?([\w.:-]{1,40})", re.IGNORECASE)


def decoded(content: bytes, said: str) -> str:
    """The text. said: the charset that came with it, or nothing."""
    for mark, name in _MARKS:
        if content.startswith(mark):
            return content[len(mark) if name == "utf-8" else 0 :].decode(name, "replace")
    meta = _META.search(content[:4096])
    for name in (said, meta[1].decode("ascii", "replace") if meta else "", "utf-8"):
        if name:
            with contextlib.suppress(LookupError, UnicodeError):
                return content.decode(name)
    return content.decode(said if _is_known(said) else "cp1252", "replace")


def _is_known(name: str) -> bool:
    try:
        return codecs.lookup(name) is not None
    except LookupError:
        return False
