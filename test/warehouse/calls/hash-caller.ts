import { openCallerHash } from "../../../src/warehouse/calls/caller-hash.ts";

/** A process that says when it is there, and hashes one caller when it is told to. */
const [, , database = ""] = process.argv;
process.once("message", () => {
  process.send?.(openCallerHash(database).hash("+49301"));
  process.disconnect();
});
process.send?.("ready");
