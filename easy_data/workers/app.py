"""What ``celery -A easy_data.workers.app worker`` and ``... beat`` run, with the settings of the environment."""

from __future__ import annotations

from easy_data.schemas.settings import load_settings
from easy_data.workers.celery_app import make_app
from easy_data.workers.starting import refuse_at_start

settings = load_settings()
app = make_app(settings)
refuse_at_start(app, settings)
