import type { Invariant, Ran } from "./types.ts";

const KNOWN_CODES = [0, 2, 3, 4, 5, 6, 7, 8, 9, 130, 143];

/** What must hold; a new capability joins as one more row. */
export const INVARIANTS: readonly Invariant[] = [
  {
    name: "every end has its exit code",
    check: (world) => {
      const seen = Number(world.memory.get("ends seen") ?? 0);
      world.memory.set("ends seen", world.ran.length);
      const odd = world.ran.slice(seen).find(({ code }) => code !== undefined && !KNOWN_CODES.includes(code));
      return odd && describe(odd);
    },
  },
];

const describe = ({ args, code, stderr }: Ran) => `${args.join(" ")} ended with ${code}: ${stderr.slice(0, 2000)}`;
