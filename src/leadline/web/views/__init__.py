"""Pure views: values in, HTML out. Everything that is not ours is escaped here."""
