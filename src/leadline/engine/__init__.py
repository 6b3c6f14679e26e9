"""The LangGraph graph of a run: one module a node, one place that puts it together."""
