"""The search room: what a text asks for, which companies may be meant, and how sure that is."""
