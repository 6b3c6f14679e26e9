"""Chat models: typed requests, the ladder that reads answers, usage and price, the offline model."""
