import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "sqlite",
  schema: ["./src/warehouse/schema.ts", "./src/warehouse/views.ts"],
  out: "./src/warehouse/migrations",
});
