"""The flows of a workspace as the files that trees are read from: each flow in a folder named by its path."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from django.db.models import Q

from flows.models import Flow, FlowFile
from flows.tree import TOP

ENDING = ".json"


def file_of(path: str) -> str:
    """Where a flow's own file stands, by its path: in the folder of that name, or the path is the file itself."""
    return path if path.endswith(ENDING) else f"{path}/{TOP}"


def folder_of(path: str) -> str:
    """The folder that a flow's files stand in, by its path; "" at the top."""
    return file_of(path).rpartition("/")[0]


def beside(flow_path: str, path: str) -> str:
    """Where a file beside a flow stands, seen from the top of the workspace."""
    folder = folder_of(flow_path)
    return f"{folder}/{path}" if folder else path


class WorkspaceFiles(Mapping[str, str]):
    """Every flow of the workspace and what stands beside it, by path; each text is read when it is asked for.

    instead: texts that are not saved yet, or that stand in place of those that are. listed: were all paths asked for?
    """

    def __init__(self, instead: Mapping[str, str] | None = None) -> None:
        self._known: dict[str, str | None] = dict(instead or {})
        self.listed = False

    @property
    def seen(self) -> dict[str, str | None]:
        """What was read so far, by path; None for what there is not."""
        return dict(self._known)

    def read_ahead(self, paths: Iterable[str]) -> None:
        """Read those of the files that are flows with one question; what is not among them is found as ever."""
        wanted = {path for path in paths if path not in self._known}
        places = [each for path in wanted for each in (path, path.removesuffix(f"/{TOP}"))]
        for place, draft in Flow.objects.filter(path__in=places, deleted_at=None).values_list("path", "draft"):
            if file_of(place) in wanted:
                self._known[file_of(place)] = draft

    def __getitem__(self, path: str) -> str:
        if path not in self._known:
            self._known[path] = _text(path)
        found = self._known[path]
        if found is None:
            raise KeyError(path)
        return found

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self.get(path) is not None

    def __iter__(self) -> Iterator[str]:
        self.listed = True
        flows = dict(Flow.objects.filter(deleted_at=None).order_by("path").values_list("pk", "path"))
        files = FlowFile.objects.filter(flow__deleted_at=None).order_by("flow", "path").values_list("flow", "path")
        found = [file_of(path) for path in flows.values()]
        found += [beside(flows[flow], path) for flow, path in files if flow in flows]
        return iter(dict.fromkeys([*found, *(path for path, text in self._known.items() if text is not None)]))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _text(path: str) -> str | None:
    """The text of one file; None when there is none."""
    if not path.endswith(ENDING):
        return None
    folder, _, name = path.rpartition("/")
    own = Q(path=path) | (Q(path=folder) if name == TOP and folder else Q())
    draft = Flow.objects.filter(own, deleted_at=None).values_list("draft", flat=True).first()
    return draft if draft is not None else _text_beside(path)


def _text_beside(path: str) -> str | None:
    parts = path.split("/")
    above = {"/".join(parts[:depth]): "/".join(parts[depth:]) for depth in range(len(parts))}
    flows = Flow.objects.filter(_in_folders(above), deleted_at=None).values_list("pk", "path")
    places = Q()
    for pk, flow_path in sorted(flows, key=lambda each: -len(folder_of(each[1]))):
        folder = folder_of(flow_path)
        if folder in above:
            places |= Q(flow=pk, path=above[folder])
    return FlowFile.objects.filter(places).order_by("flow").values_list("text", flat=True).first() if places else None


def _in_folders(folders: Mapping[str, str]) -> Q:
    """The flows whose own files may stand directly in one of the folders."""
    found = Q(path__in=[folder for folder in folders if folder])
    for folder in folders:
        found |= Q(path__startswith=f"{folder}/" if folder else "", path__endswith=ENDING)
    return found
