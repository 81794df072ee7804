"""Matching of lists: which company each row of a table means, by everything that its columns say."""
