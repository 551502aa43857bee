import { resolve } from "node:path";

// Scripts that run without vitest build before they start; mutants run from src.
const { TEST_BUILD_OF_CALLTALLY: address } = process.env;
if (address !== undefined) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(await response.text());
  await response.body?.cancel();
}

/** The folder of the built program. */
export const DIST = resolve(import.meta.dirname, "../../dist");
