import { defineConfig } from "vitest/config";

// Generous, for machines that do other things too; nothing here is a measurement.
export default defineConfig({ test: { testTimeout: 120_000 } });
