import { describe, expect, it } from "vitest";
import { remember } from "../../../src/calls/attribution/remember.ts";

/** A remembered function, and the values it computed. */
function recorded(): { ask: (text: string) => number; computed: string[] } {
  const computed: string[] = [];
  const ask = remember((text) => {
    computed.push(text);
    return text.length;
  });
  return { ask, computed };
}

describe("remember", () => {
  it("computes each value once", () => {
    const { ask, computed } = recorded();
    expect(["a", "bb", "a", "bb", ""].map(ask)).toEqual([1, 2, 1, 2, 0]);
    expect(computed).toEqual(["a", "bb", ""]);
  });

  it("remembers texts of up to 200 characters", () => {
    const { ask, computed } = recorded();
    const [held, long] = ["h".repeat(200), "l".repeat(201)];
    expect([held, held, long, long].map(ask)).toEqual([200, 200, 201, 201]);
    expect(computed).toEqual([held, long, long]);
  });

  it("forgets everything after 20,000 texts", () => {
    const { ask, computed } = recorded();
    for (let text = 0; text < 20_000; text++) ask(String(text));
    ask("0");
    ask("19999");
    expect(computed).toHaveLength(20_000);
    ask("another");
    ask("0");
    ask("another");
    expect(computed.slice(20_000)).toEqual(["another", "0"]);
  });
});
