"""What the parts of ``EasyMemory`` share: the runtime, and who does the work behind it."""

from __future__ import annotations

from easy_data.client.upkeep import Upkeep
from easy_data.pipeline.runtime import Runtime


class Part:
    """Declares what ``EasyMemory`` sets up before any method of a part runs."""

    _runtime: Runtime
    _background: Upkeep
