"""The pages for people, in Spanish and English, and what search engines and agents read of them."""
