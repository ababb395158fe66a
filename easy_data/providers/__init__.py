"""Who is asked: clocks, embedding models and chat models."""
