"""Documentation that is run: what a page shows is executed, looked up or compared."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from easy_data import ConversationPublisher, EasyDataError, EasyMemory, Settings
from easy_data.cli.exit_codes import MEANINGS
from easy_data.cli.lazy_group import COMMANDS, PACKAGE
from easy_data.cli.main import app
from easy_data.cli.settings_reference import settings_table
from easy_data.pipeline.extraction.matching import PatternSpec
from tests.fixtures.service import Service
from tests.project.markdown import Block, Page, blocks, page, pages
from tests.project.sources import ROOT, functions_of, python_files, shown, tree_of

README, README_ZH = ROOT / "README.md", ROOT / "README.zh-CN.md"
SERVICE_PAGE = ROOT / "docs/service.md"
LANGUAGES = {"python", "text", "toml", "json", "console"}
DATE = re.compile(r"\d{4}-\d\d-\d\d")
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
# The shell's own: no page has to list them under each command.
EVERYWHERE = {"--help", "-h", "--install-completion", "--show-completion"}


# The README and the service's page run below, and the Chinese README has the same code.
@pytest.mark.parametrize(
    "path", sorted({b.page for b in blocks("python")} - {README, README_ZH, SERVICE_PAGE}), ids=shown
)
def test_python_blocks_run_and_print_what_the_page_says(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _check_python(path, tmp_path, monkeypatch, capsys)


def test_the_services_page_runs_on_a_service(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("database_url", "broker_url", "qdrant_url"):
        monkeypatch.setenv(f"EASY_DATA_{name.upper()}", service.settings[name])
    command = [sys.executable, "-m", "easy_data", "worker", "--concurrency", "1"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ROOT))
        patch.setenv("EASY_DATA_BACKEND", "postgresql")
        worker = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL)
    try:
        _check_python(SERVICE_PAGE, tmp_path, monkeypatch, capsys)
    finally:
        worker.terminate()
        worker.wait(30)


def _check_python(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The blocks of a page share a namespace; what one prints stands in the text block that follows it."""
    monkeypatch.chdir(tmp_path)
    namespace: dict[str, object] = {"__name__": "page"}
    shown_blocks = page(path).blocks
    try:
        for block, after in zip_longest(shown_blocks, shown_blocks[1:]):
            if block.language != "python":
                continue
            # The line numbers of a traceback are those of the page.
            exec(compile("\n" * block.line + block.text, str(path), "exec"), namespace)
            printed = capsys.readouterr().out
            if printed:
                assert after is not None, block.place
                assert after.language == "text", block.place
                assert DATE.sub("DATE", printed.rstrip()) == DATE.sub("DATE", after.text), block.place
    finally:
        for value in namespace.values():
            if isinstance(value, EasyMemory | ConversationPublisher):
                value.close()


def test_the_readme_runs_beside_modules_with_the_names_of_our_folders(tmp_path: Path) -> None:
    found = page(README).blocks
    (code,) = [block.text for block in found if block.language == "python"]
    (tmp_path / "pipeline").mkdir()
    for name in ("schemas.py", "workers.py", "pipeline/__init__.py"):
        (tmp_path / name).write_text("OWNER = 'application'\n")
    owners = "import pipeline, schemas, workers\nprint({m.OWNER for m in (pipeline, schemas, workers)})"
    (tmp_path / "main.py").write_text(f"{code}\nmemory.close()\n{owners}\n", encoding="utf-8")
    printed, owner = _run([sys.executable, "main.py"], tmp_path).rstrip().rsplit("\n", 1)
    assert owner == "{'application'}"
    assert DATE.sub("DATE", printed) == DATE.sub("DATE", found[-1].text)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The lines that the demo prints, both stories."""
    return _plain(_run([sys.executable, "-m", "easy_data", "demo"], tmp_path_factory.mktemp("demo")))


@pytest.mark.parametrize("path", [README, README_ZH], ids=shown)
def test_the_transcript_is_what_the_demo_prints(path: Path, demo: list[str]) -> None:
    transcript = _plain(page(path).blocks[0].text)
    printed = iter(demo)
    assert len(transcript) > 10
    first_missing = next((line for line in transcript if line not in printed), None)
    assert first_missing is None, "not in the demo's output, or in another order"


def test_every_block_is_of_a_kind_that_is_checked() -> None:
    odd = [block.place for found in pages() for block in found.blocks if block.language not in LANGUAGES]
    assert not odd


@pytest.mark.parametrize("block", blocks("toml"), ids=lambda b: b.place)
def test_toml_blocks_are_settings_or_patterns(block: Block) -> None:
    given = tomllib.loads(block.text)
    for entry in given.pop("pattern", []):
        spec = PatternSpec.model_validate(entry)
        for text, value in spec.examples:
            match = re.search(spec.match, text, re.IGNORECASE)
            assert match is not None
            assert match["value"] == value
    assert set(given) <= set(Settings.model_fields)
    Settings.model_validate(given)


@pytest.mark.parametrize("block", blocks("json"), ids=lambda b: b.place)
def test_json_blocks_are_json_lines(block: Block) -> None:
    assert all(isinstance(json.loads(line), dict) for line in block.text.splitlines())


@pytest.mark.parametrize("block", blocks("console"), ids=lambda b: b.place)
def test_console_blocks_name_what_is_there(block: Block) -> None:
    for line in block.text.splitlines():
        assert line.startswith("$ "), f"{block.place}: a line of a console block is a command"
        for part in line[2:].partition(" #")[0].split(" | "):
            _look_up([word for word in shlex.split(part) if not re.match(r"[A-Z_]+=", word)], block)


def test_every_command_is_on_the_page_with_its_options() -> None:
    described: dict[str, set[str]] = {}
    for row in page(ROOT / "docs/cli.md").rows("command"):
        words = row[0].strip("`").split()
        name = " ".join(words[1:3] if words[1] in ("config", "db", "deadletter", "review") else words[1:2])
        described.setdefault(name, set()).update(OPTION.findall(" ".join(row)))
    assert described == {name: options - EVERYWHERE for name, options in _commands()}


def test_every_option_of_all_commands_is_on_the_page() -> None:
    rows = page(ROOT / "docs/cli.md").rows("option")
    assert {OPTION.findall(row[0])[0] for row in rows} == _options(get_command(app)) - EVERYWHERE


def test_every_exit_code_is_on_the_page() -> None:
    rows = set(page(ROOT / "docs/cli.md").rows("code"))
    assert rows == {(str(code.value), meaning) for code, meaning in MEANINGS.items()}


def test_every_setting_is_on_the_page() -> None:
    assert settings_table() in (ROOT / "docs/settings.md").read_text(encoding="utf-8")


def test_every_error_is_on_the_page() -> None:
    rows = {row[:3] for row in page(ROOT / "docs/errors.md").rows("exception")}
    kinds = _family(EasyDataError)
    assert rows == {(f"`{k.__name__}`", f"`{k.code}`", "yes" if k.retryable else "no") for k in kinds}


@pytest.mark.parametrize("found", pages(), ids=lambda p: shown(p.path))
def test_links_lead_somewhere(found: Page) -> None:
    broken = []
    for link in found.links:
        target, _, anchor = link.partition("#")
        if "://" in target:
            continue
        path = (found.path.parent / target).resolve() if target else found.path
        if not path.exists() or (anchor and anchor not in page(path).anchors):
            broken.append(link)
    assert not broken


def test_every_page_can_be_reached_from_the_index() -> None:
    index = page(ROOT / "docs/index.md")
    linked = {(index.path.parent / link).resolve() for link in index.links}
    missing = [shown(p.path) for p in pages() if "docs" in p.path.parts and p is not index and p.path not in linked]
    assert not missing


def test_every_test_that_a_page_names_is_there() -> None:
    tests = {f.name for path in python_files("tests") for f in functions_of(tree_of(path))}
    named = {name for found in pages() for name in re.findall(r"`(test_\w+)`", found.prose)}
    assert named
    assert named <= tests


def test_both_readmes_have_the_same_code_and_the_same_headings() -> None:
    english, chinese = page(README), page(README_ZH)
    assert [_code(b) for b in english.blocks[1:]] == [_code(b) for b in chinese.blocks[1:]]
    assert [level for level, _ in english.headings] == [level for level, _ in chinese.headings]


def _run(command: list[str], folder: Path) -> str:
    """Run a command in a folder, as an application that has Easy Data installed would, and return what it prints."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "COLUMNS": "100", "NO_COLOR": "1"}.items():
            patch.setenv(name, value)
        ran = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def _plain(text: str) -> list[str]:
    """Return the lines without frames and blanks around them, empty ones left out."""
    return [bare for line in text.splitlines() if (bare := line.strip(" │"))]


def _code(block: Block) -> str:
    """Return Python as its syntax, so that comments may be in each language; other blocks as they are."""
    return ast.dump(ast.parse(block.text)) if block.language == "python" else block.text


def _look_up(words: list[str], block: Block) -> None:
    """Fail unless the command exists here: of ours with its arguments, a target of make, a script, or a plain tool."""
    match words:
        case ["easy-data", *arguments]:
            _parse(arguments)
        case ["make", *targets]:
            known = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
            assert {t for t in targets if "=" not in t} <= known, block.place
        case ["python" | ".venv/bin/python", "-m", module, *_]:
            assert importlib.util.find_spec(module), block.place
        case ["python" | ".venv/bin/python", script, *_]:
            options = set(re.findall(r"\"(--[a-z-]+)\"", (ROOT / script).read_text(encoding="utf-8")))
            assert set(OPTION.findall(" ".join(words[2:]))) <= options, block.place
        case [tool, *_]:
            assert tool in ("cat", "pip", "git"), block.place


def _parse(arguments: list[str]) -> None:
    """Let the command line read the arguments without running anything; it raises for what it does not know."""
    command = get_command(app)
    context = command.make_context("easy-data", list(arguments))
    while isinstance(command, TyperGroup):
        name, inner, rest = command.resolve_command(context, [*context._protected_args, *context.args])
        assert inner is not None
        command, context = inner, inner.make_context(name, rest, parent=context)


def _commands() -> Iterator[tuple[str, set[str]]]:
    for name, module, _ in COMMANDS:
        command = get_command(importlib.import_module(f"{PACKAGE}.{module}").app)
        if isinstance(command, TyperGroup):
            yield from ((f"{name} {part}", _options(inner)) for part, inner in command.commands.items())
        else:
            yield name, _options(command)


def _options(command: object) -> set[str]:
    parameters = getattr(command, "params", [])
    return {name for p in parameters for name in (*p.opts, *p.secondary_opts) if name.startswith("-")}


def _family(kind: type[EasyDataError]) -> list[type[EasyDataError]]:
    return [kind, *(one for child in kind.__subclasses__() for one in _family(child))]
