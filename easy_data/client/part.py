"""What the parts of ``EasyMemory`` share: the runtime and the worker thread."""

from __future__ import annotations

from easy_data.client.background import Background
from easy_data.pipeline.runtime import Runtime


class Part:
    """Declares what ``EasyMemory`` sets up before any method of a part runs."""

    _runtime: Runtime
    _background: Background
