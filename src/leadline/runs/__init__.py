"""The run folder: kept light, the guardian process imports this package."""
