import { describe, expectTypeOf, it } from "vitest";
import type { z } from "zod";
import type { exportRequest, rollupQuestion } from "../../src/library/parse-options.ts";
import type { Basis, CallFilter, ExportRequest, RollupQuestion } from "../../src/library/types.ts";
import type { basisSchema, coverageSchema } from "../../src/warehouse/runs/basis-schema.ts";

type Question = z.output<typeof rollupQuestion>;
type Request = z.output<typeof exportRequest>;

type ItemOf<Value> = Value extends readonly (infer Item)[] ? Item : Value;
/** The values of each member, and the items of lists. */
type Values<Whole> = { [Name in keyof Whole]-?: ItemOf<NonNullable<Whole[Name]>> };

type Whole = z.infer<typeof basisSchema>;
type WholeRun = NonNullable<Whole["run"]>;
type PublicRun = NonNullable<Basis["run"]>;
type Coverage = z.infer<typeof coverageSchema>;
type Flat<Parts> = { [Name in keyof Parts]: Parts[Name] };

// `tsc` checks these.
describe("types of the library", () => {
  it("each type has the members and values that the parser accepts", () => {
    type Nested = "filter" | "range";
    expectTypeOf<Values<Omit<RollupQuestion, Nested>>>().toEqualTypeOf<Values<Omit<Question, Nested>>>();
    expectTypeOf<Values<Omit<ExportRequest, Nested>>>().toEqualTypeOf<Values<Omit<Request, Nested>>>();
    expectTypeOf<keyof RollupQuestion>().toEqualTypeOf<keyof Question>();
    expectTypeOf<keyof CallFilter>().toEqualTypeOf<keyof NonNullable<Question["filter"]>>();
  });

  it("the basis has members of the schema of all bases, but with the names of verdicts, and statements", () => {
    expectTypeOf<Omit<Basis, "run" | "statements">>().toEqualTypeOf<
      Flat<Omit<Coverage, "difference" | "order" | "drift"> & Pick<Whole, "missing" | "unlisted">>
    >();
    expectTypeOf<Omit<PublicRun, "verdict">>().toEqualTypeOf<Omit<WholeRun, "verdict">>();
    expectTypeOf<PublicRun["verdict"]>().toExtend<WholeRun["verdict"]>();
  });
});
