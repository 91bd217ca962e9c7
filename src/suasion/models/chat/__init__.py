"""Chat engines: messages in, answers out, from any OpenAI-compatible server or the local model."""
