"""Find companies by name or identifier, and present them."""
