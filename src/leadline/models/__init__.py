"""Chat models: typed requests, the ladder that reads answers, prices, the offline model."""
