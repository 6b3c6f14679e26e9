"""The version, apart from the package: a layer may name it without importing the API."""

__version__ = "0.1.0"
