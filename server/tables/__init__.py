"""The tables that this process plays: the only place that decides, and the only one that appends."""
