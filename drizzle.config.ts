import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/{conversions,delivery,insights,notices,restatements,spend,warehouse,webhooks}/**/*.ts",
  out: "./src/warehouse/migrations",
});
