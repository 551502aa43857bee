import type { Evidence } from "../../src/paging/evidence.ts";
import type { Sort } from "../../src/paging/order-key.ts";
import type { Slice } from "../../src/paging/slice.ts";
import { Throttle } from "../../src/paging/throttle.ts";
import { judge, type Verdict } from "../../src/paging/verdict.ts";
import { walk } from "../../src/paging/walk.ts";

export interface Options {
  limit: number;
  overlap: number;
  concurrency: number;
}

export interface Request {
  sort: Sort;
  offset: number;
}

/** The response to one of the requests under way, by its index; or a kill, after which the next process resumes. */
export type Step = { request: Request; which: number; response: Slice | "refused" } | "kill";

interface Pending {
  request: Request;
  resolve: (slice: Slice) => void;
  reject: (error: Error) => void;
}

/** Turns of the event queue after which a walk has done all that it can without a response. */
const TURNS = 50;

class Refused extends Error {}

/** A full pass of the program, step by step. */
export class ProgramRun {
  /** At the end of the pass. */
  outcome: { verdict: Verdict; read: ReadonlySet<number>; evidence: Evidence } | undefined;
  /** Whether the pass began with the last response. */
  hasJustBegun = false;
  readonly #options: Options;
  #pending: Pending[] = [];
  #ledger: Slice[] = [];
  #failure: unknown;

  private constructor(options: Options) {
    this.#options = options;
  }

  static async begin(options: Options): Promise<ProgramRun> {
    const run = new ProgramRun(options);
    run.#start();
    await run.#settle();
    return run;
  }

  get requests(): Request[] {
    return this.#pending.map(({ request }) => request);
  }

  /** Whether a killed process would leave something to resume. */
  get hasLedger(): boolean {
    return this.#ledger.length > 0;
  }

  async take(step: Step): Promise<void> {
    this.hasJustBegun = false;
    if (step === "kill") this.#start();
    else {
      for (const { resolve, reject } of this.#pending.splice(step.which, 1)) {
        if (step.response === "refused") reject(new Refused());
        else resolve(step.response);
      }
    }
    await this.#settle();
  }

  #start(): void {
    const pending: Pending[] = [];
    this.#pending = pending;
    const fetch = (sort: Sort) => (offset: number) =>
      new Promise<Slice>((resolve, reject) => pending.push({ request: { sort, offset }, resolve, reject }));
    const { limit, overlap, concurrency } = this.#options;
    const reading = walk(
      { isRefusal: (error) => error instanceof Refused, fetch },
      { limit, overlap, throttle: new Throttle(concurrency) },
      { earlier: this.#ledger },
    );
    const read = async () => {
      for await (const slice of reading) {
        this.hasJustBegun = reading.evidence.slices === 1;
        this.#ledger = this.hasJustBegun ? [slice] : [...this.#ledger, slice];
      }
      const { evidence } = reading;
      const read = new Set(this.#ledger.flatMap(({ rows }) => rows.map(({ id }) => id ?? 0)));
      this.outcome = { verdict: judge(evidence, read.size).verdict, read, evidence };
    };
    read().catch((error) => {
      this.#failure = error;
    });
  }

  /** @throws Error if the walk failed */
  async #settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await undefined;
    if (this.#failure !== undefined) throw this.#failure;
  }
}
