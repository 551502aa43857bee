import { deriveSeed, drawIndex, type Random, seededRandom, shuffle } from "../random.ts";
import type { SandboxSettings } from "../sandbox-options.ts";
import { hasDniData } from "./dni.ts";
import { CallGenerator } from "./generate.ts";

/** The JSON of one call. Tests may put anything into it, so its members are unknown. */
export type WireCall = Readonly<Record<string, unknown>>;

interface SandboxCallsOptions
  extends Pick<SandboxSettings, "seed" | "calls" | "order" | "now">,
    Partial<Pick<SandboxSettings, "nulls" | "oddTexts">> {
  /** Called for each call added after the seeded ones. */
  readonly onInsert?: (call: WireCall) => void;
}

const NEWEST_AGE_MS = 60_000;

/**
 * Holds only ids, in their visible order; the JSON of a call is made when it is read. A call without DNI session data
 * is in no list (API v3 § 4.2, rule 1).
 */
export class SandboxCalls {
  readonly #generator: CallGenerator;
  readonly #options: SandboxCallsOptions;
  readonly #random: Random;
  #ids: number[];
  #nextIndex: number;
  readonly #insertedMs = new Map<number, number>();
  readonly #removed = new Set<number>();
  readonly #withoutDni = new Set<number>();
  readonly #edits = new Map<number, WireCall>();

  constructor(options: SandboxCallsOptions) {
    const { seed, calls: count, order, now } = options;
    this.#options = options;
    this.#generator = new CallGenerator(seed, count, now() - NEWEST_AGE_MS, options);
    this.#random = seededRandom(deriveSeed(seed, "order"));
    this.#nextIndex = count;
    this.#ids = Array.from({ length: count }, (_, index) => this.#generator.idAt(index));
    if (order === "newest") this.#ids.reverse();
    if (order === "shuffled" || order === "random") this.#ids = shuffle(this.#random, this.#ids);
  }

  get size(): number {
    return this.#ids.length - this.#withoutDni.size;
  }

  get ids(): number[] {
    return this.#ids.filter((id) => !this.#withoutDni.has(id));
  }

  get(id: number): WireCall | undefined {
    const index = this.#indexOf(id);
    return index === undefined ? undefined : this.#callAt(index, id);
  }

  /** Returns what lists are ordered and filtered by; cheaper than the whole call. */
  facets(id: number): WireCall | undefined {
    const index = this.#indexOf(id);
    if (index === undefined) return undefined;
    return this.#edits.has(id) ? this.get(id) : this.#generator.facetsAt(index);
  }

  /** Adds a call that starts now, with members replaced as in `edit`; returns its id. */
  insert(patch: WireCall = {}): number {
    const index = this.#nextIndex++;
    const id = this.#generator.idAt(index);
    this.#insertedMs.set(id, this.#options.now());
    this.#ids.splice(this.#placeOfNewest(), 0, id);
    if (Object.keys(patch).length > 0) this.edit(id, patch);
    this.#options.onInsert?.(this.#callAt(index, id));
    return id;
  }

  remove(id: number): boolean {
    const index = this.#ids.indexOf(id);
    if (index < 0) return false;
    this.#ids.splice(index, 1);
    this.#removed.add(id);
    this.#withoutDni.delete(id);
    this.#insertedMs.delete(id);
    this.#edits.delete(id);
    return true;
  }

  /** Replaces members with any JSON value (dni_data as a whole); undefined removes one. Without DNI data it is not listed. */
  edit(id: number, patch: WireCall): void {
    const index = this.#indexOf(id);
    if (index === undefined) throw new Error(`Cannot edit call ${id}: the sandbox has no such call`);
    this.#edits.set(id, { ...this.#edits.get(id), ...patch });
    if (hasDniData(this.#callAt(index, id).dni_data)) this.#withoutDni.delete(id);
    else this.#withoutDni.add(id);
  }

  #callAt(index: number, id: number): WireCall {
    const generated = this.#generator.callAt(index, this.#insertedMs.get(id));
    const call = this.#options.nulls
      ? generated
      : { ...without(null, generated), dni_data: without(null, generated.dni_data) };
    const edit = this.#edits.get(id);
    return edit ? without(undefined, { ...call, ...edit }) : call;
  }

  #indexOf(id: number): number | undefined {
    const index = this.#generator.indexOf(id);
    return index !== undefined && index < this.#nextIndex && !this.#removed.has(id) ? index : undefined;
  }

  #placeOfNewest(): number {
    const { order } = this.#options;
    if (order === "newest") return 0;
    if (order === "oldest") return this.#ids.length;
    return drawIndex(this.#random, this.#ids.length + 1);
  }
}

function without(missing: null | undefined, members: WireCall): WireCall {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== missing));
}
