"""Two extractors behind one port: patterns without a model, and any chat model with one."""
