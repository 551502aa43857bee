import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/warehouse/schema.ts",
  out: "./src/warehouse/migrations",
});
