"""The chaos harness: the service under faults, and a checker that believes only what is stored.

    python -m bench.chaos [--seed N] [--conversations N] [--minutes M] [--out figures.json]

It starts PostgreSQL, two Valkey servers, a vector server, a scripted chat model, workers, beat, agents that hand over
conversations and a bystander that writes, forgets, reviews and reads; breaks them by a plan that the seed decides;
mends everything, waits until nothing is left to do, delivers every message again, and compares what is stored with the
journals. docs/guarantees.md says what is promised and shows figures.
"""
