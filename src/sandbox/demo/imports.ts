import type { DemoAccount } from "./demo-account.ts";
import { addOutcomes } from "./demo-outcomes.ts";
import { addSpend } from "./demo-spend.ts";

/** What is imported after the sync, in this order. */
export const IMPORTS: readonly ((account: DemoAccount) => void)[] = [addSpend, addOutcomes];
