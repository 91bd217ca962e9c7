"""The tasks, one file each: a module with ``TASK = declare(…)`` is a task, and nothing is registered elsewhere."""
