"""Who may ask how often: accounts, keys, plans, limits, billing. Never sees a company, and knows no HTTP."""
