"""A child process of ``easy-data dev`` ends when its parent does, however that ended: the pipe between them closes."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable

from easy_data.cli.main import main


def when_parent_ends(call: Callable[[], None]) -> None:
    """Call ``call`` on a thread once standard input, which the parent holds open, is at its end."""

    def wait() -> None:
        # Not through sys.stdin, whose lock would be held when the interpreter ends.
        while os.read(0, 4096):
            pass
        call()

    threading.Thread(target=wait, name="parent", daemon=True).start()


def terminate() -> None:
    """Let this process end in order."""
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    # ``python -m easy_data.cli.dev_parent COMMAND ...``: a command of ours as such a child.
    when_parent_ends(terminate)
    main()
