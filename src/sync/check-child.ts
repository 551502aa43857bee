import { constants, setPriority } from "node:os";
import { describeError } from "../base/errors.ts";
import { watchParent } from "../base/watch-parent.ts";
import { findDamage } from "../warehouse/file/integrity.ts";
import { connect } from "../warehouse/file/open.ts";
import { isDamage } from "../warehouse/file/sqlite-errors.ts";
import type { CheckReply } from "./check-later.ts";

// Checks a warehouse for the sync that has forked this process, and sends what it found.
const [, , path = ""] = process.argv;
setPriority(constants.priority.PRIORITY_LOW);
await watchParent(process.ppid);
process.send?.(check(), () => process.exit());

function check(): CheckReply {
  try {
    using warehouse = connect({ path });
    return { damage: findDamage(warehouse, { thorough: false }) ?? null };
  } catch (error) {
    const text = describeError(error);
    return isDamage(error) ? { damage: text } : { problem: text };
  }
}
