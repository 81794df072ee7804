"""The JSON interfaces: `public` for everybody, and their OpenAPI description."""
