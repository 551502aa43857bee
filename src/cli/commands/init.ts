import type { Context } from "../context.ts";
import { declareInit } from "../init/declare-init.ts";

export const command = (context: Context) =>
  declareInit().action(async (flags) => {
    // Its prompts bring a library along that other commands need not wait for.
    const { runInit } = await import("../init/run-init.ts");
    await runInit(context, flags);
  });
