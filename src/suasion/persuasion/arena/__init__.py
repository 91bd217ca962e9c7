"""The blind test: people compare replies without knowing who wrote them, and every ballot is kept."""
