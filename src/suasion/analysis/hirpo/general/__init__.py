"""What the model could do before: general prompts, its answers to them, and how much of that is left."""
