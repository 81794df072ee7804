"""Programs that check the project itself."""
