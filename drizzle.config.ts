import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/{conversions,delivery,insights,restatements,spend,warehouse,webhooks}/**/*.ts",
  out: "./src/warehouse/migrations",
});
