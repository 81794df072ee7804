"""A company: its fields, and what is generated from them."""
