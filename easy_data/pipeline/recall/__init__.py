"""The read path: intents, routes, ranking, context."""
