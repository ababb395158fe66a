"""``python -m easy_data`` is ``easy-data``."""

from __future__ import annotations

from easy_data.cli.main import main

if __name__ == "__main__":
    main()
