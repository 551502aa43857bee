import { describe, expect, it } from "vitest";
import { DIMENSIONS } from "../../src/figures/dimensions.ts";
import { ACCOUNTS } from "../support/scene/accounts.ts";
import { alike, askScene } from "../support/scene/ask.ts";
import { type Asked, figuresOf } from "../support/scene/oracle.ts";

/** Four weeks with the clock change of Chicago, and two with that of Lord Howe. */
const RANGE = { from: "2026-03-02", to: "2026-03-29" };
const LATE = { from: "2026-03-23", to: "2026-04-05" };

describe("figures of the scene are those of the oracle", () => {
  it.each(ACCOUNTS)("by each dimension, $name", async (account) => {
    for (const dimension of DIMENSIONS) {
      const asked: Asked = { by: [dimension], range: RANGE, compare: "previous", total: true };
      const expected = figuresOf(account, asked);
      expect(alike((await askScene(account.name, asked)).rows, expected), dimension).toEqual(expected);
    }
  });
});
