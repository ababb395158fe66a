"""The product with a real model in a GGUF file, served on the loopback: a look at the plumbing, not at quality.

    pip install xllamacpp
    python bench/local_model.py --gguf MODEL.gguf [--mode json_schema|json_object|prompt] [--cases FILE --limit N]

Nothing else uses ``xllamacpp``, and no test runs this: it takes minutes. Without ``--cases`` it reads four short
dialogues of its own. It prints what the model's answers became, and what the calls used.
"""

from __future__ import annotations

import argparse
import importlib
import json
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from easy_data import EasyMemory

CONTEXT = 8192  # tokens; the instructions take about half
LONGEST_ANSWER = 512
DIALOGUES = {
    "en-1": ["Hi! I live in Porto and I'm a nurse.", "I don't like coriander."],
    "en-2": ["I passed the bar exam last Friday!", "Could you recommend a book?"],
    "zh-1": ["我住在杭州，是一名护士。", "香菜我一口都吃不了。"],
    "zh-2": ["上周五我通过了法考！", "推荐一本书吧。"],
}


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--gguf", type=Path, required=True, help="the model's file")
    arguments.add_argument("--mode", default="auto", help="how structured output is asked for")
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--cases", type=Path, help="dialogues as JSON lines, in place of the built-in ones")
    arguments.add_argument("--limit", type=int, default=4, help="how many of them")
    given = arguments.parse_args()
    # Held until the end: the server stops with it.
    server = serve(given.gguf, threads=given.threads)
    with (
        tempfile.TemporaryDirectory() as folder,
        EasyMemory(
            path=Path(folder) / "bench.db",
            llm_base_url=f"{server.listening_address}/v1",
            llm_model=given.gguf.name,
            llm_mode=given.mode,
            llm_timeout_seconds=600.0,
            llm_attempts=1,
            max_attempts=1,
        ) as memory,
    ):
        for name, messages in dialogues(given.cases, given.limit).items():
            read(memory, name, messages)
        day = memory.status().model_today
        print(f"{day.tokens} tokens")


def serve(gguf: Path, *, threads: int) -> Any:
    """Return a running server of the model on the loopback, at any free port."""
    xllamacpp = importlib.import_module("xllamacpp")
    wanted = xllamacpp.CommonParams()
    wanted.model.path = str(gguf)
    wanted.n_ctx, wanted.n_parallel, wanted.n_predict = CONTEXT, 1, LONGEST_ANSWER
    wanted.cpuparams.n_threads = wanted.cpuparams_batch.n_threads = threads
    wanted.sampling.temp = 0.0
    wanted.hostnames, wanted.port = ["127.0.0.1"], 0
    return xllamacpp.Server(wanted)


def dialogues(cases: Path | None, limit: int) -> dict[str, list[dict[str, Any]]]:
    if cases is None:
        return {name: [{"role": "user", "content": text} for text in said] for name, said in DIALOGUES.items()}
    lines = cases.read_text(encoding="utf-8-sig").splitlines()[:limit]
    return {case["id"]: case["messages"] for case in map(json.loads, lines)}


def read(memory: EasyMemory, name: str, messages: list[dict[str, Any]]) -> None:
    started = time.perf_counter()
    status = memory.end_conversation(name, messages).wait(3600)
    ended = status.outcome.value if status.outcome else status.state.value
    print(f"{name}: {ended} after {time.perf_counter() - started:.0f} s {status.reason}")
    for fate in status.fates:
        print(f"  {fate.fate.value} {fate.reason}: {fate.what} <- {fate.quote!r}")
    print(
        "  found by",
        dict(Counter(e.extractor for f in memory.profile(name) for e in memory.explain(name, f.id).evidence)),
    )


if __name__ == "__main__":
    main()
