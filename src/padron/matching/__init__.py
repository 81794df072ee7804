"""Matching of queries with companies: parsing, features, confidence, explanations."""
