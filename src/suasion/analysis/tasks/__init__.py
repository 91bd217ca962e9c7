"""The tasks of formal argument analysis: each one declaration that drives its prompt, its judge, its service and its documentation."""

from suasion.analysis.tasks.catalogue import all_tasks, get_task
from suasion.analysis.tasks.problem import Problem, make_problem
from suasion.analysis.tasks.published import resolve
from suasion.analysis.tasks.reward import reward
from suasion.analysis.tasks.scores import scores
from suasion.analysis.tasks.task import Example, Task, Virtue

__all__ = ["Example", "Problem", "Task", "Virtue", "all_tasks", "get_task", "make_problem", "resolve", "reward", "scores"]
