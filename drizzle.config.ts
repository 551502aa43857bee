import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: "./src/{delivery,features,notices,spend,warehouse}/**/*.ts",
  out: "./src/warehouse/migrations",
});
