import { openCallerHash } from "../../../src/warehouse/calls/caller-hash.ts";

/** A process that reports when it is ready, and hashes one caller on request. */
const [, , database = ""] = process.argv;
process.once("message", () => {
  process.send?.(openCallerHash(database).hash("+49301"));
  process.disconnect();
});
process.send?.("ready");
