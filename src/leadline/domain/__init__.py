"""Values of the domain: pure, typed, without I/O. Nothing of the project is imported but errors."""
