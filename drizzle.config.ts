import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema:
    "./src/{conversions,delivery,features,insights,notices,restatements,spend,warehouse,webhooks}/**/*.ts",
  out: "./src/warehouse/migrations",
});
