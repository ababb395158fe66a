"""``easy-data config show``: the settings as this command line sees them, and the attributes there are."""

from __future__ import annotations

import typer

from easy_data.cli.opening import settings_of
from easy_data.cli.output import Output, table, write_json
from easy_data.cli.session import session_of
from easy_data.schemas.registry import Attribute, Registry
from easy_data.schemas.settings import PREFIX, Settings

app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, help="Show the settings and the attributes.")


@app.callback()
def start() -> None:
    """Show the settings and the attributes."""


@app.command()
def show(context: typer.Context) -> None:
    """Show every setting with its value (keys are masked), and every attribute and event type."""
    session = session_of(context)
    settings, registry = settings_of(session), Registry()
    values = settings.model_dump(mode="json")
    if session.json:
        attributes = [attribute.model_dump(exclude={"topics"}) for attribute in registry]
        write_json({"settings": values, "attributes": attributes, "event_types": registry.event_types})
        return
    output = Output()
    changed = changed_names(settings)
    rows = (
        (name, "" if value is None else value, "set" if name in changed else "default", PREFIX + name.upper())
        for name, value in values.items()
    )
    output.print(table(("setting", "value", "from", "variable"), rows, title="settings"))
    kinds = ((a.name, a.type, _marks(a), a.label("zh"), a.label("en")) for a in registry)
    output.print(table(("attribute", "type", "is", "zh", "en"), kinds, title="attributes"))
    output.print("event types: " + ", ".join(registry.event_types))


def changed_names(settings: Settings) -> set[str]:
    """Return the names of the settings whose value is not the default."""
    return {name for name, field in Settings.model_fields.items() if getattr(settings, name) != field.default}


def _marks(attribute: Attribute) -> str:
    marks = (("identity", attribute.identity), ("sensitive", attribute.sensitive))
    return ", ".join([f"{attribute.cardinality} value", *(name for name, holds in marks if holds)])
