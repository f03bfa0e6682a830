"""From modules and named columns to one result: scoring, states, results, comparisons."""
