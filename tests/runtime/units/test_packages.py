"""Packages that code may import: those that a flow declares, of a fixed set, in a version that fits."""

import tomllib
from pathlib import Path

import pytest
import pytest_asyncio
from django.test import override_settings

from flows import reference
from flows.check import check
from flows.units import UnitSpec
from runtime.units import packages, prompt
from runtime.units.faults import CodeFailed
from runtime.units.lint import Ground, lint
from runtime.units.sandbox import Sandbox
from tests.runtime.units.test_generate import FLOW

pytestmark = pytest.mark.asyncio(loop_scope="module")

HEAD = "*, services, settings, env"
# What each is for, done once inside, where no file can be opened and nothing is loaded any more.
USES = {
    "beautifulsoup4": (
        "from bs4 import BeautifulSoup",
        "page = BeautifulSoup('<p class=a>One <b>two</b></p><p>x', 'html.parser')\n"
        "return [page.select_one('p.a b').text, len(page.find_all('p'))]",
        ["two", 2],
    ),
    "icalendar": (
        "import icalendar",
        "text = 'BEGIN:VCALENDAR\\r\\nBEGIN:VEVENT\\r\\nSUMMARY:Tea\\r\\n"
        "DTSTART;TZID=Europe/Berlin:20260105T090000\\r\\n"
        "END:VEVENT\\r\\nEND:VCALENDAR\\r\\n'\n"
        "event = icalendar.Calendar.from_ical(text).walk('VEVENT')[0]\n"
        "return [str(event['SUMMARY']), event.decoded('DTSTART').isoformat()]",
        ["Tea", "2026-01-05T09:00:00+01:00"],
    ),
    "jmespath": ("import jmespath", "return jmespath.search('a[?n > `1`].n', {'a': [{'n': 1}, {'n': 2}]})", [2]),
    "markdown": (
        "import markdown",
        "return markdown.markdown('| a |\\n|---|\\n| b |', extensions=['markdown.extensions.tables'])[:7]",
        "<table>",
    ),
    "markdownify": ("from markdownify import markdownify", "return markdownify('<b>x</b> <i>y</i>')", "**x** *y*"),
    "openpyxl": (
        "import io, base64, openpyxl, xlsxwriter",
        "out = io.BytesIO()\nbook = xlsxwriter.Workbook(out, {'in_memory': True})\n"
        "sheet = book.add_worksheet('Prices')\n"
        "sheet.write_row(0, 0, ['tea', 3.5])\nbook.close()\n"
        "read = openpyxl.load_workbook(io.BytesIO(out.getvalue()), read_only=True, data_only=True)\n"
        "return [read.sheetnames, [list(row) for row in read['Prices'].iter_rows(values_only=True)]]",
        [["Prices"], [["tea", 3.5]]],
    ),
    "pypdf": (
        "import io, pypdf",
        "writer = pypdf.PdfWriter()\nwriter.add_blank_page(100, 100)\nout = io.BytesIO()\nwriter.write(out)\n"
        "return len(pypdf.PdfReader(io.BytesIO(out.getvalue())).pages)",
        1,
    ),
    "python-dateutil": (
        "from dateutil import parser, relativedelta, rrule, tz",
        "day = parser.parse('5 January 2026 09:00') + relativedelta.relativedelta(months=+1)\n"
        "return [day.isoformat(), rrule.rrule(rrule.WEEKLY, count=2, dtstart=day)[1].day]",
        ["2026-02-05T09:00:00", 12],
    ),
    "pyyaml": (
        "import yaml",
        "return [yaml.safe_load('a: [1, x]'), yaml.safe_dump({'b': 2})]",
        [{"a": [1, "x"]}, "b: 2\n"],
    ),
    "segno": (
        "import io, segno",
        "out = io.BytesIO()\nsegno.make('https://example.com').save(out, kind='png')\n"
        "return out.getvalue()[1:4].decode()",
        "PNG",
    ),
    "tabulate": (
        "from tabulate import tabulate",
        "return tabulate([[1, 2]], headers=['a', 'b'], tablefmt='github')[:13]",
        "|   a |   b |",
    ),
    "xlsxwriter": (
        "import io, xlsxwriter",
        "out = io.BytesIO()\nbook = xlsxwriter.Workbook(out, {'in_memory': True})\n"
        "sheet = book.add_worksheet()\nsheet.write(0, 0, 'x', book.add_format({'bold': True}))\n"
        "chart = book.add_chart({'type': 'column'})\nchart.add_series({'values': '=Sheet1!$A$1:$A$1'})\n"
        "sheet.insert_chart('C1', chart)\nbook.close()\n"
        "return out.getvalue()[:2].decode()",
        "PK",
    ),
    "xmltodict": ("import xmltodict", "return xmltodict.parse('<a><b>1</b></a>')", {"a": {"b": "1"}}),
}  # fmt: skip


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def stocked():
    box = Sandbox().stocked(packages.places())
    yield box
    await box.close()


async def outcome(box, imports: str, body: str, barred: dict):
    lease = await box.lease()
    try:
        lines = "\n".join(f"    {line}" for line in body.splitlines())
        await lease.load({"tool:f": f"{imports}\n\nasync def f(args, {HEAD}):\n{lines}\n"}, barred)
        return await lease.call("tool:f", {}, settings={}, env=[], seed="s", clock=1_767_600_000.0, services=_nothing)
    finally:
        await lease.close()


async def _nothing(name, args):
    raise AssertionError(name)


# LG-contract-12
async def test_each_package_of_the_set_does_what_it_is_for_inside(stocked):
    assert set(USES) == set(packages.SET) == set(packages.available())
    for imports, body, result in USES.values():
        assert await outcome(stocked, imports, body, {}) == result, imports


# LG-contract-12
async def test_what_is_not_declared_cannot_be_imported(stocked):
    barred = packages.barred({"python-dateutil": ">=2.9,<3", "PyYAML": "<2"})
    assert await outcome(stocked, "from dateutil import parser", "return parser.parse('2026-01-05').day", barred) == 5
    for imports, words in (
        (
            "import bs4",
            "bs4 cannot be imported here: it belongs to beautifulsoup4, which requires.packages does not name",
        ),
        ("import yaml", "yaml cannot be imported here: pyyaml is 6"),
        ("import six", "six cannot be imported here: it is only there for other packages"),
        ("import django", "django cannot be imported here"),
    ):
        with pytest.raises(CodeFailed) as refused:
            await outcome(stocked, imports, "return 1", barred)
        assert words in refused.value.message
    # Only source was loaded: what packages bring as machine code stayed outside.
    assert await outcome(stocked, "import yaml", "return hasattr(yaml, 'CLoader')", {}) is False


def judged(line: str, **wanted: str) -> str:
    spec = UnitSpec("tool", "f", "key", packages={name.replace("_", "-"): span for name, span in wanted.items()})
    return " ".join(lint(Ground.of(spec), f"{line}\n\nasync def f(args, {HEAD}):\n    return 1\n"))


# LG-contract-12, LG-studio-11
@pytest.mark.parametrize(
    ("line", "wanted", "words"),
    [
        ("from dateutil import parser", {"python_dateutil": ">=2.9,<3"}, ""),
        ("import dateutil.parser", {"Python_DateUtil": "~=2.9"}, ""),
        ("import bs4", {}, "bs4 belongs to beautifulsoup4 4."),
        ("import bs4", {}, 'Add "beautifulsoup4" with a version range to requires.packages'),
        (
            "import dateutil",
            {"python_dateutil": "<2"},
            "python-dateutil is 2.9.0.post0 here, and requires.packages asks for <2",
        ),
        ("import pandas", {"pandas": ">=2,<3"}, "this installation's sandbox does not have it. It has beautifulsoup4,"),
        ("import pandas", {"pandas": ">=2,<3"}, "name it in SANDBOX_PACKAGES"),
        ("import pandas", {}, "pandas cannot be imported"),
    ],
)
async def test_code_is_told_before_it_runs(line, wanted, words):
    found = judged(line, **wanted)
    assert words in found if words else found == ""


async def test_an_operator_can_add_a_package():
    with override_settings(SANDBOX_PACKAGES=["Cron-Descriptor", "packaging"]):
        assert "cron-descriptor" not in packages.available()
        assert judged("import packaging", packaging=">=20") == ""
        assert any(place.endswith("/packaging") for place in packages.places())
    assert "sandbox does not have it" in judged("import packaging", packaging=">=20")


async def test_the_set_is_pinned_told_and_explained():
    group = tomllib.loads(Path("pyproject.toml").read_text())["dependency-groups"]["sandbox"]  # noqa: ASYNC240
    assert sorted(packages.canonical(line.partition(">=")[0]) for line in group) == sorted(packages.SET)
    text = reference.topic("contract").text
    assert [name for name in packages.SET if f"`{name}`" not in text] == []
    flow = {**FLOW, "requires": {**FLOW["requires"], "packages": {"python-dateutil": ">=2.9,<3"}}}
    document = check(flow).flow
    spec = UnitSpec("tool", "find", "key", packages=document.requires.packages)
    rules = prompt.messages(spec, document)[0]["content"]
    assert "python-dateutil 2.9.0.post0 (dateutil)" in rules and "bs4" not in rules
