"""What is deployed with: the compose file against the Compose schema and our own rules, the Dockerfile by hadolint."""

from __future__ import annotations

import json
import re
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from easy_data.schemas.settings import CONFIG_VARIABLE, PREFIX, Settings
from easy_data.stores.task_routes import QUEUES
from tests.project.sources import ROOT, shown

DEPLOY = ROOT / "deploy"
COMPOSE, DOCKERFILE, EXAMPLE = DEPLOY / "compose.yaml", DEPLOY / "Dockerfile", DEPLOY / ".env.example"
FILES = sorted(path for path in DEPLOY.rglob("*") if path.is_file())
SECRET = re.compile(r"\$\{(\w+):\?")

# Our rules, as a schema of their own: who reads the file needs no other tool than the Compose schema's.
GIVEN = {"type": "string", "pattern": r"\$\{[A-Z_]+:\?[^}]+\}"}
RULES: dict[str, Any] = {
    "required": ["services", "volumes"],
    "properties": {
        "services": {
            "required": ["postgres", "broker", "cache", "qdrant", "migrate", "beat", *(f"worker-{q}" for q in QUEUES)],
            "patternProperties": {
                ".*": {
                    "required": ["image", "restart", "healthcheck"],
                    "not": {"anyOf": [{"required": ["ports"]}, {"required": ["privileged"]}]},
                    "properties": {
                        "image": {"pattern": r"^[^:]+:(?!latest$).+$"},
                        "environment": {
                            "patternProperties": {"(PASSWORD|AUTH|QDRANT.*API_KEY|(DATABASE|BROKER|CACHE)_URL)$": GIVEN}
                        },
                    },
                },
            },
            "properties": {
                "broker": {"properties": {"command": {"contains": {"const": "noeviction"}}}},
                "cache": {"properties": {"command": {"contains": {"const": "allkeys-lfu"}}}},
                "migrate": {"properties": {"command": {"const": ["db", "upgrade"]}}},
                "beat": {"properties": {"command": {"const": ["beat"]}}},
                **{f"worker-{queue}": {"properties": {"command": {"contains": {"const": queue}}}} for queue in QUEUES},
            },
        }
    },
}


def tool(name: str, *arguments: object) -> None:
    """Run a tool of this environment; what it complains of fails the test."""
    command = [Path(sysconfig.get_path("scripts")) / name, *map(str, arguments)]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_compose_file_is_one() -> None:
    tool("check-jsonschema", "--builtin-schema", "vendor.compose-spec", COMPOSE)


def test_it_has_every_service_a_check_of_its_health_and_no_password_of_ours(tmp_path: Path) -> None:
    rules = tmp_path / "rules.json"
    rules.write_text(json.dumps(RULES))
    tool("check-jsonschema", "--schemafile", rules, COMPOSE)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('POSTGRES_PASSWORD: "${POSTGRES_PASSWORD:?set it in .env}"', "POSTGRES_PASSWORD: postgres"),
        ("- noeviction", "- allkeys-lru"),
        ("image: qdrant/qdrant:v1.20.0", "image: qdrant/qdrant:latest"),
        ("command: [beat]", "command: [beat]\n    ports: ['6379:6379']"),
    ],
)
def test_the_rules_see_what_is_wrong(tmp_path: Path, before: str, after: str) -> None:
    rules, wrong = tmp_path / "rules.json", tmp_path / "compose.yaml"
    rules.write_text(json.dumps(RULES))
    text = COMPOSE.read_text(encoding="utf-8")
    assert before in text
    wrong.write_text(text.replace(before, after), encoding="utf-8")
    with pytest.raises(AssertionError):
        tool("check-jsonschema", "--schemafile", rules, wrong)


def test_hadolint_finds_nothing_in_the_dockerfile() -> None:
    tool("hadolint", "--no-color", DOCKERFILE)


def test_the_image_runs_as_an_ordinary_user_and_holds_what_is_needed_to_build_it() -> None:
    lines = DOCKERFILE.read_text(encoding="utf-8").splitlines()
    assert len([line for line in lines if line.startswith("FROM ")]) == 2
    assert [line for line in lines if line.startswith("USER ")] == ["USER 10001:10001"]
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", "\n".join(lines), re.MULTILINE)
    names = [name.removeprefix("./") for line in copied for name in line.split()]
    let_in = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert [name for name in names if not (ROOT / name).exists() or f"!{name}" not in let_in] == []


@pytest.mark.parametrize("path", FILES, ids=shown)
def test_every_setting_that_is_named_is_one(path: Path) -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields} | {CONFIG_VARIABLE}
    named = set(re.findall(rf"\b{PREFIX}[A-Z_]+\b", path.read_text(encoding="utf-8")))
    assert named <= known


def test_the_example_names_every_variable_and_gives_no_secret() -> None:
    text = COMPOSE.read_text(encoding="utf-8")
    example = dict(re.findall(r"^([A-Z_]+)=(.*)$", EXAMPLE.read_text(encoding="utf-8"), re.MULTILINE))
    assert example.keys() == set(re.findall(r"\$\{(\w+)[:}]", text))
    assert {name: example[name] for name in SECRET.findall(text)} == dict.fromkeys(SECRET.findall(text), "")


@pytest.mark.parametrize("script", sorted(DEPLOY.rglob("*.sh")), ids=shown)
def test_scripts_are_executable_and_parse(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    assert subprocess.run(["/bin/sh", "-n", script], check=False).returncode == 0
