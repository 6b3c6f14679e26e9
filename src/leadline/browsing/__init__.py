"""Real browsers behind an egress guard, and the reading of what they show."""
