"""The one starting point: base and lock, loading (4 bit, LoRA), rendering, sampling."""
