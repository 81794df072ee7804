import { defineConfig } from "tsdown";

export default defineConfig({
  entry: ["src/index.ts", "src/files.ts", "src/identifiers.ts", "src/watchlists.ts"],
  format: ["esm", "cjs"],
  platform: "neutral",
  target: "es2022",
  dts: true,
  sourcemap: false,
  // What entries share has one name in all builds.
  hash: false,
});
