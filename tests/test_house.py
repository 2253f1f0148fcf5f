"""The house rules, as tests: what a reviewer would otherwise have to remember."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
import yaml

from runtime.processes import ROOT

LAYERS = ("flows", "runtime", "studio")
LONGEST = 400


@cache
def tracked() -> tuple[str, ...]:
    """The repository's files, as git lists them."""
    run = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return tuple(name for name in run.stdout.splitlines() if (ROOT / name).is_file())


def sources(*endings: str) -> Iterator[Path]:
    """Tracked files written by hand that end so."""
    for name in tracked():
        if name.endswith(endings) and "/generated/" not in name and "/migrations/" not in name:
            yield ROOT / name


@cache
def modules() -> dict[str, ast.Module]:
    """The syntax tree of each module of the product, by its path."""
    return {
        str(file.relative_to(ROOT)): ast.parse(file.read_text(encoding="utf-8"))
        for file in sources(".py")
        if file.relative_to(ROOT).parts[0] in LAYERS
    }


# Shape


def test_files_are_short_enough_to_read() -> None:
    long = {
        str(file.relative_to(ROOT)): lines
        for file in sources(".py", ".ts", ".tsx", ".css", ".mjs")
        if (lines := len(file.read_text(encoding="utf-8").splitlines())) >= LONGEST
    }
    assert not long, f"Split these by noun: {long}"


BANNED = {"manager", "managers", "helper", "helpers", "util", "utils", "data", "info"}
# What a library calls by this name.
GIVEN_NAMES = {"data_received", "handle_data"}


def words_of(name: str) -> set[str]:
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", name)}


def test_names_say_what_a_thing_is() -> None:
    found = []
    for path, tree in modules().items():
        if Path(path).stem in BANNED:
            found.append(path)
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                # Django's own word for what a model's queries start from.
                is_django = isinstance(node, ast.ClassDef) and any(
                    "Manager" in ast.unparse(base) for base in node.bases
                )
                if words_of(node.name) & BANNED and node.name not in GIVEN_NAMES and not is_django:
                    found.append(f"{path}:{node.lineno} {node.name}")
    assert not found, f"These names say nothing: {found}"


def test_each_module_says_what_lives_in_it() -> None:
    silent = [path for path, tree in modules().items() if tree.body and not ast.get_docstring(tree)]
    silent = [path for path in silent if Path(path).name not in ("apps.py", "__init__.py")]
    assert not silent, f"A docstring at the top, please: {silent}"


# Words


UNFINISHED = re.compile(
    "|".join([r"\bTO" + "DO\\b", r"\bFIX" + "ME\\b", r"\bXX" + "X\\b", "NotImplemented" + "Error", "for " + "now\\b"])
)
SKIPPED = re.compile(
    r"mark\.(skip|skipif|xfail)\b|pytest\.(skip|xfail|importorskip)\(|\b(it|test|describe)\.(skip|todo|only)\b"
)
# Somebody's machine, and the hosts packages come from: neither is true elsewhere.
PLACES = re.compile(
    r"(?<![\w.])/(home|root|Users|work|opt|mnt)/\w|pypi\.org|pythonhosted|registry\.npmjs|deb\.debian|npmmirror"
)
PROSE = (".py", ".ts", ".tsx", ".mjs", ".css", ".md", ".html", ".json", ".toml", ".yml", ".sh")


def lines_with(pattern: re.Pattern[str], *endings: str) -> list[str]:
    return [
        f"{file.relative_to(ROOT)}:{number} {line.strip()[:100]}"
        for file in sources(*endings)
        if file.name != "test_house.py"
        for number, line in enumerate(file.read_text(encoding="utf-8", errors="replace").splitlines(), 1)
        if pattern.search(line)
    ]


def test_nothing_is_left_for_later() -> None:
    assert not lines_with(UNFINISHED, *PROSE)


def test_no_test_is_skipped() -> None:
    assert not lines_with(SKIPPED, ".py", ".ts", ".tsx")


def test_no_file_names_a_machine_or_a_package_host() -> None:
    assert not lines_with(PLACES, *PROSE, ".lock", "Makefile", "Dockerfile", ".ci/run", ".ci/check", ".ci/prepare")


# Danger


RUNS_PROGRAMS = {
    "runtime/supervisor.py": "starts the product's processes",
    "runtime/testing/process.py": "starts the process in which tests of flows run",
    "runtime/units/jail.py": "starts the sandbox",
    "runtime/units/warm.py": "holds the sandbox's process",
    "runtime/units/interpreter.py": "asks an interpreter where its files are",
    "runtime/demo/testing.py": "starts the scripted server for tests",
    "studio/management/commands/generate.py": "calls node for the TypeScript types",
}
RUNS_CODE = {
    "runtime/units/inside/child.py": "is the sandbox: the process that runs generated code and nothing else",
    "runtime/units/inside/modules.py": "loads the sandbox's list of allowed modules before any unit",
}
DANGEROUS_CALLS = {"exec", "eval", "compile", "__import__"}
DANGEROUS_MODULES = {"pickle", "marshal", "shelve", "dill", "cloudpickle"}


def imports(tree: ast.Module) -> set[str]:
    """The top-level names of all that a module imports, wherever in it."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module)
    return found


def tops(tree: ast.Module) -> set[str]:
    return {name.split(".")[0] for name in imports(tree)}


def test_only_named_modules_start_programs() -> None:
    found = {path for path, tree in modules().items() if "subprocess" in tops(tree)}
    assert found == set(RUNS_PROGRAMS), "Name the module in RUNS_PROGRAMS with its reason, or leave the program out."


def test_only_the_sandbox_runs_code_made_of_text() -> None:
    found = {
        path
        for path, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DANGEROUS_CALLS
    }
    assert found <= set(RUNS_CODE)


def test_nothing_is_unpickled() -> None:
    # What is read back from storage is JSON, or msgpack under LangGraph's strict mode.
    assert not {path for path, tree in modules().items() if tops(tree) & DANGEROUS_MODULES}


SEES_EVERY_WORKSPACE = {
    "flows/scope.py": "declares it",
    "flows/store.py": "looks whether a flow anywhere has an id",
    "runtime/looking.py": "a worker asks servers what they offer, whosever they are",
    "runtime/notices/errand.py": "sends notices, whosever they are",
    "runtime/files/keeping.py": "keeps bytes for as long as a row anywhere has them",
    "runtime/files/sweeping.py": "takes away uploads that nobody used, whosever they are",
    "runtime/questions.py": "expires the questions of all workspaces",
    "runtime/retention.py": "finds checkpoints whose run is gone, whosever it was",
    "runtime/engine/claiming.py": "claims runs, whosever they are",
    "runtime/tracing/errand.py": "exports the runs of all workspaces to the installation's collector",
    "runtime/engine/loops.py": "sweeps, dispatches and expires for all workspaces",
    "studio/accounts.py": "signs people in, before it is known where",
    "studio/attachments/sight.py": "finds the workspace of a file",
    "studio/ask/errand.py": "a worker claims asks and ends lost ones, whosever they are",
    "studio/testing/errand.py": "a worker claims runs of tests and takes lost ones back, whosever they are",
    "studio/management/commands/first_sign_in.py": "makes the first invitation",
    "studio/middleware.py": "finds out which workspace a request is in",
    "studio/pages/account.py": "lists the workspaces of the person",
    "studio/pages/frame.py": "lists the workspaces of the person",
    "studio/publishing.py": "an agent's address is unique in the whole installation",
    "studio/pages/join.py": "looks an invitation up by its token",
    "studio/programs/tokens.py": "finds the workspace of an API token",
    "studio/viewer.py": "finds the workspace of an agent's address, a conversation or a question",
}


def test_only_named_modules_look_across_workspaces() -> None:
    found = {
        path
        for path, tree in modules().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "everywhere"
    } | {"flows/scope.py"}
    assert found == set(SEES_EVERY_WORKSPACE), "Name the module in SEES_EVERY_WORKSPACE with its reason."


def test_each_table_belongs_to_a_workspace() -> None:
    from django.apps import apps

    from flows.scope import Scoped

    shared = {
        model.__name__
        for layer in LAYERS
        for model in apps.get_app_config(layer).get_models()
        if not issubclass(model, Scoped)
    }
    assert shared <= SHARED_TABLES, f"Inherit from flows.scope.Scoped: {shared - SHARED_TABLES}"


SHARED_TABLES = {
    "Workspace", "User",
    "SignInTry",  # counted before it is known who somebody is
    "Identity",  # a person's, in every workspace
    "Presence",  # of a session, in every workspace
    "Leader",  # which worker leads a loop of the engine
    "Outbox",  # what the dispatcher publishes, whosever run it is; it holds nothing but the run
    "Checkpoint", "CheckpointBlob", "CheckpointWrite",  # these belong to a run, and only the engine reads them
}  # fmt: skip


# Layers


def test_only_the_engine_knows_langgraph() -> None:
    found = {path for path, tree in modules().items() if any(name.startswith("lang") for name in tops(tree))}
    assert all(path.startswith("runtime/engine/") for path in found), found


def loaded_by(statement: str, environment: dict[str, str] | None = None) -> set[str]:
    """The names of all modules that are loaded once a new process has run the statement."""
    script = f"import sys\n{statement}\nprint(*sys.modules)"
    run = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return set(run.stdout.split())


def test_the_web_process_loads_no_langgraph() -> None:
    loaded = loaded_by(
        "import studio.asgi\nfrom django.urls import get_resolver\nget_resolver().url_patterns",
        {"DJANGO_SETTINGS_MODULE": "studio.settings"},
    )
    assert not {name for name in loaded if name.startswith(("langgraph", "langchain", "runtime.engine"))}


def test_the_language_loads_no_framework() -> None:
    loaded = loaded_by("import flows.kinds, flows.checks, flows.words.document")
    assert not {name for name in loaded if name.split(".")[0] in {"django", "celery", "channels", "langgraph"}}


def test_the_supervisor_stays_small() -> None:
    loaded = loaded_by("import runtime.supervisor")
    assert not {name for name in loaded if name.split(".")[0] in {"django", "celery", "twisted", "langgraph"}}


# Lists that must be whole


def test_each_kind_is_listed() -> None:
    from flows.kinds import KINDS

    written = {Path(path).stem for path in modules() if Path(path).parent == Path("flows/kinds")}
    listed = {type(kind).__module__.rsplit(".", 1)[-1] for kind in KINDS}
    assert written - {"__init__", "base"} == listed


@cache
def codes() -> frozenset[str]:
    """Every code with which the language refuses something."""
    found: set[str] = set()
    for path, tree in modules().items():
        if not path.startswith("flows/"):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "rule" and node.args:
                found.add(str(ast.literal_eval(node.args[0])))
            elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "CODES":
                found |= {str(each.value) for each in ast.walk(node.value) if isinstance(each, ast.Constant)}
    return frozenset(found)


def test_each_refusal_has_a_case() -> None:
    cases = {folder.name for folder in (ROOT / "tests/cases/refused").iterdir() if folder.is_dir()}
    assert codes() - cases == set(), "Refused, but no case in tests/cases/refused shows the words."
    assert cases - codes() == set(), "A case for what is no longer refused."


def test_each_setting_is_documented() -> None:
    documented = set(re.findall(r"^#?([A-Z_]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))
    read: set[object] = {"DATABASE_URL"}  # dj_database_url reads it
    for path, tree in modules().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                called = ast.unparse(node.func)
                if called.endswith(("environ.get", "getenv")) or (path == "studio/settings.py" and called == "_words"):
                    read.add(node.args[0].value)
    compose = set(re.findall(r"\$\{([A-Z_]+)", (ROOT / "docker-compose.yml").read_text()))
    assert (read | compose) - FOR_TESTS == documented, "The code and .env.example disagree."


# LGSTUDIO_CRASH ends processes at named points; nobody who runs the product should meet it in a list of settings.
FOR_TESTS = {"LGSTUDIO_CRASH"}


def test_each_command_of_the_readme_exists() -> None:
    rules = set(re.findall(r"^([a-z0-9-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE))
    named = set(re.findall(r"`make ([a-z0-9-]+)`", readme()))
    assert named <= rules, named - rules
    assert rules - named <= {"help"}, f"The README does not say what these do: {rules - named}"


def readme() -> str:
    return (ROOT / "README.md").read_text(encoding="utf-8")


def test_each_link_of_the_documentation_leads_somewhere() -> None:
    broken = [
        f"{file.relative_to(ROOT)}: {target}"
        for file in sources(".md")
        for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", file.read_text(encoding="utf-8"))
        if not re.match(r"[a-z]+:", target) and not (file.parent / target).exists()
    ]
    assert not broken


def test_each_decision_is_in_the_index() -> None:
    index = (ROOT / "docs/README.md").read_text(encoding="utf-8")
    assert not [file.name for file in sources(".md") if file.parent.name == "decisions" and file.name not in index]


def test_each_folder_of_the_readme_exists() -> None:
    table = readme().split("## Where things live", 1)[1].split("## ", 1)[0]
    assert not [name for name in re.findall(r"^\| `([a-z/]+/)`", table, re.MULTILINE) if not (ROOT / name).is_dir()]


# Production's shape


@pytest.fixture
def compose() -> dict:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def test_the_compose_file_has_every_part(compose: dict) -> None:
    services = compose["services"]
    assert {"web", "worker", "beat", "postgres", "redis"} <= set(services)
    assert services["postgres"]["image"] == "postgres:16"
    assert services["redis"]["image"] == "redis:7"
    assert "--appendonly yes" in services["redis"]["command"]
    assert "noeviction" in services["redis"]["command"]


def test_the_compose_file_starts_processes_as_the_supervisor_does(compose: dict, tmp_path: Path) -> None:
    from runtime.processes import Place, web, worker

    place = Place(var=tmp_path, host="0.0.0.0")
    assert compose["services"]["worker"]["command"].split()[1:] == worker(place).argv[1:]
    image = json.loads(re.findall(r"^CMD (\[.*\])", (ROOT / "Dockerfile").read_text(), re.MULTILINE)[0])
    assert image[1:] == web(place).argv[1:]


def test_only_the_worker_may_make_namespaces(compose: dict) -> None:
    loose = {
        name
        for name, service in compose["services"].items()
        if any("unconfined" in option for option in service.get("security_opt", []))
    }
    assert loose == {"worker"}
