import { describe, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { exportRequest, rollupQuestion } from "../../src/library/parse-options.ts";
import type { CallFilter, ExportRequest, RollupQuestion } from "../../src/library/types.ts";

type Question = z.output<typeof rollupQuestion>;
type Request = z.output<typeof exportRequest>;

/** The values of each member, and the items of lists. */
type Values<Whole> = {
  [Name in keyof Whole]-?: NonNullable<Whole[Name]> extends readonly (infer Item)[]
    ? Item
    : NonNullable<Whole[Name]>;
};

// `tsc` checks these.
describe("types of the library", () => {
  it("each type has the members and values that the parser accepts", () => {
    type Nested = "filter" | "range";
    expectTypeOf<Values<Omit<RollupQuestion, Nested>>>().toEqualTypeOf<Values<Omit<Question, Nested>>>();
    expectTypeOf<Values<Omit<ExportRequest, Nested>>>().toEqualTypeOf<Values<Omit<Request, Nested>>>();
    expectTypeOf<keyof RollupQuestion>().toEqualTypeOf<keyof Question>();
    expectTypeOf<keyof CallFilter>().toEqualTypeOf<keyof NonNullable<Question["filter"]>>();
  });
});
