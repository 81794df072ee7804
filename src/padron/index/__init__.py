"""Candidates: what an index holds of a company, and the engines that look it up."""
