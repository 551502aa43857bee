import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/{features,reports/delivery,warehouse}/**/*.ts",
  out: "./src/warehouse/migrations",
});
