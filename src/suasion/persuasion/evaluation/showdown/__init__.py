"""The showdown: contenders compared at equal budgets, with intervals that say how little a few premises and seeds can show."""
