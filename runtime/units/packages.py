"""The packages that code may import beside the standard library: a fixed set, and what an operator added to it.

They are installed with the product, at the versions of its lock, and are pure Python: the sandbox loads their source
and nothing compiled. A flow declares each that it uses, with a version range, and gets it where the version here fits.
"""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

SET = (
    "beautifulsoup4",
    "icalendar",
    "jmespath",
    "markdown",
    "markdownify",
    "openpyxl",
    "pypdf",
    "python-dateutil",
    "pyyaml",
    "segno",
    "tabulate",
    "xlsxwriter",
    "xmltodict",
)
"""PyPI distributions; pyproject.toml has them in the group "sandbox"."""


@dataclass(frozen=True)
class Package:
    """One distribution. modules: what is imported of it. places: the files and folders that it consists of."""

    name: str
    version: str
    modules: tuple[str, ...]
    places: tuple[str, ...]
    needs: tuple[str, ...]


def canonical(name: str) -> str:
    """`Python_Dateutil` as PyPI means it: `python-dateutil`."""
    return re.sub(r"[-_.]+", "-", name).lower()


def available() -> dict[str, Package]:
    """What flows may declare here, by canonical name."""
    return _available((*SET, *(canonical(name) for name in settings.SANDBOX_PACKAGES)))


@lru_cache(maxsize=8)
def _available(names: tuple[str, ...]) -> dict[str, Package]:
    found = {name: _installed(name) for name in names}
    return {name: package for name, package in found.items() if package is not None}


def why_not(name: str, wanted: str) -> str:
    """Why a declared package cannot be imported here, and what to do; "" when it can."""
    package = available().get(canonical(name))
    if package is None:
        return (
            f"{name} is in requires.packages, and this installation's sandbox does not have it. It has "
            f"{', '.join(available())}. An operator can add a package that is pure Python: install it beside the "
            "product and name it in SANDBOX_PACKAGES. Without it, write the code with the standard library, or call a "
            "service that does the work."
        )
    if not _fits(package.version, wanted):
        return (
            f"{name} is {package.version} here, and requires.packages asks for {wanted}. Widen the range if the code "
            "works with that version; which one is installed is for an operator to change."
        )
    return ""


def of_module(top: str) -> Package | None:
    """The package that a module is imported from."""
    return next((package for package in available().values() if top in package.modules), None)


def places() -> tuple[str, ...]:
    """Every file and folder that the sandbox has to see, those first that others need."""
    found: dict[str, None] = {}
    for name in available():
        for package in _with_needs(name, ()):
            found |= dict.fromkeys(package.places)
    return tuple(found)


def barred(wanted: Mapping[str, str]) -> dict[str, str]:
    """Of what is loaded, the modules that a flow with these packages may not import, each with the reason."""
    declared = {canonical(name): span for name, span in wanted.items()}
    words = {Path(place).name.removesuffix(".py"): "it is only there for other packages" for place in places()}
    for name, package in available().items():
        if name not in declared:
            why = f"it belongs to {name}, which requires.packages does not name"
        elif not _fits(package.version, declared[name]):
            why = f"{name} is {package.version} here, and requires.packages asks for {declared[name]}"
        else:
            why = ""
        words |= dict.fromkeys(package.modules, why)
    return {module: why for module, why in words.items() if why}


def _fits(version: str, wanted: str) -> bool:
    try:
        return SpecifierSet(wanted).contains(version, prereleases=True)
    except InvalidSpecifier:
        return False


def _with_needs(name: str, above: tuple[str, ...]) -> Iterator[Package]:
    package = _installed(name)
    if package is None or name in above:
        return
    for need in package.needs:
        yield from _with_needs(need, (*above, name))
    yield package


@lru_cache(maxsize=200)
def _installed(name: str) -> Package | None:
    try:
        found = importlib.metadata.distribution(name)
    except importlib.metadata.PackageNotFoundError:
        return None
    tops = sorted({file.parts[0] for file in found.files or () if file.suffix == ".py" and ".." not in file.parts})
    kept = [top for top in tops if not top.endswith((".dist-info", ".data")) and top != "_yaml"]
    modules = tuple(top.removesuffix(".py") for top in kept)
    where = tuple(str(found.locate_file(top)) for top in kept)
    return Package(name, found.version, modules, where, tuple(_needed(found.requires or ())))


def _needed(requirements: list[str] | tuple[()]) -> Iterator[str]:
    for text in requirements:
        try:
            one = Requirement(text)
        except InvalidRequirement:
            continue
        if one.marker is None or one.marker.evaluate({"extra": ""}):
            yield canonical(one.name)
