import { wholeInsight } from "./insight-schema.ts";
import { INSIGHT_SEEDS } from "./insight-seeds.ts";

/** The JSON of one insight. Edits may have put anything into it, so its members are unknown. */
export type WireInsight = Readonly<Record<string, unknown>>;

/** The insights of a sandbox: seeded, and open to change by a test. */
export class SandboxInsights {
  readonly #insights = new Map<number, WireInsight>(
    // Parsed only to get the members into the order of the API's document.
    INSIGHT_SEEDS.map((seed) => [seed.insight_id, wholeInsight.parse(seed)]),
  );

  get ids(): number[] {
    return [...this.#insights.keys()];
  }

  /** Returns the JSON of an insight, or undefined when there is none with this id. */
  get(id: number): WireInsight | undefined {
    return this.#insights.get(id);
  }

  /**
   * Replaces members of an insight, with any JSON value (objects as a whole); undefined leaves a member out.
   *
   * @throws {Error} when there is no insight with this id.
   */
  edit(id: number, patch: WireInsight): void {
    const insight = this.#insights.get(id);
    if (insight === undefined) throw new Error(`Cannot edit insight ${id}: the sandbox has no such insight`);
    this.#insights.set(id, { ...insight, ...patch });
  }
}
