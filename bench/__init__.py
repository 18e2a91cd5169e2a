"""`python -m bench`: the load of the budgets against our server and its peers, side by side in one run."""
