export interface Response {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
  tookMs: number;
  /** Whether the connection ends before the body does. */
  isCut?: boolean;
}

export type Responder = (path: string, query: ReadonlyMap<string, string>, body: string) => Response;

/** The true state of a call; the service sends it as JSON. */
export interface TrueCall {
  call_id: number;
  insight_name: string;
  caller_id: string | null;
  tracking_number: string;
  call_started: string;
  duration: number;
  disposition: string;
  org_unit_id: number;
  org_unit_name: string;
  recording_url: string | null;
  summary: string | null;
  transcription: string | null;
  dni_data: Record<string, string>;
}

/** How the service misbehaves, until a moment. */
export type Fault = "busy" | "cut" | "failing" | "slow" | "lagging" | "refused";

/** The service in memory: it knows the truth, and serves it well or badly. */
export class Service {
  /** The truth, by id. */
  readonly calls = new Map<number, TrueCall>();
  /** When each call was first and last listed. */
  readonly listedSince = new Map<number, number>();
  /** Calls that it no longer lists, in their last state, and since when. */
  readonly removed = new Map<number, { call: TrueCall; atMs: number }>();
  readonly order: "start" | "id";
  token: string;
  /** When the truth last changed. */
  changedMs = 0;
  requests = 0;
  /** Each call as last served. */
  readonly served = new Map<number, TrueCall[]>();
  /** The number of responses of a lagging replica. */
  lagged = 0;
  /** Changes while calls are listed; called before each response. */
  meanwhile: () => void = () => undefined;
  readonly #faults = new Map<Fault, number>();
  readonly #now: () => number;
  readonly #random: () => number;
  #listed: TrueCall[] | undefined;
  /** The list in the past, for lagging replicas. */
  #older: readonly TrueCall[] = [];

  constructor(options: { now: () => number; random: () => number; order: "start" | "id"; token: string }) {
    this.#now = options.now;
    this.#random = options.random;
    this.order = options.order;
    this.token = options.token;
  }

  put(call: TrueCall): void {
    this.#change();
    this.calls.set(call.call_id, call);
    this.removed.delete(call.call_id);
    if (!this.listedSince.has(call.call_id)) this.listedSince.set(call.call_id, this.#now());
  }

  remove(id: number): void {
    const call = this.calls.get(id);
    if (call === undefined) return;
    this.#change();
    this.calls.delete(id);
    this.listedSince.delete(id);
    this.removed.set(id, { call, atMs: this.#now() });
  }

  misbehave(fault: Fault, untilMs: number): void {
    this.#faults.set(fault, untilMs);
  }

  behave(): void {
    this.#faults.clear();
  }

  /** All listed calls in the order of the list: newest first. */
  list(): readonly TrueCall[] {
    this.#listed ??= [...this.calls.values()].sort((a, b) =>
      this.order === "id" || a.call_started === b.call_started
        ? b.call_id - a.call_id
        : a.call_started < b.call_started
          ? 1
          : -1,
    );
    return this.#listed;
  }

  #change(): void {
    this.changedMs = this.#now();
    if (this.#listed !== undefined) this.#older = this.#listed;
    this.#listed = undefined;
  }

  #has(fault: Fault, share: number): boolean {
    const untilMs = this.#faults.get(fault);
    const has = untilMs !== undefined && untilMs > this.#now() && this.#random() < share;
    if (has && fault === "lagging") this.lagged++;
    return has;
  }

  readonly respond: Responder = (_path, query) => {
    this.requests++;
    this.meanwhile();
    const tookMs = this.#has("slow", 0.5) ? 20_000 * this.#random() : 120;
    if (this.#has("refused", 1) || query.get("authorization") !== `Bearer ${this.token}`)
      return failure(401, "Unauthorized", tookMs);
    if (this.#has("busy", 0.5)) {
      const wait: Record<string, string> =
        this.#random() < 0.5 ? { "retry-after": String(Math.ceil(200 * this.#random())) } : {};
      return { ...failure(429, "Too many requests", tookMs), headers: wait };
    }
    if (this.#has("failing", 0.6)) return failure(503, "Service unavailable", tookMs);
    const [offset, limit] = [Number(query.get("offset")), Number(query.get("limit"))];
    const list = this.#has("lagging", 0.5) ? this.#older : this.list();
    const data = { calls: list.slice(offset, offset + limit), total: list.length, limit, offset };
    const request_id = `request-${this.requests}`;
    const timestamp = new Date(this.#now()).toISOString();
    const body = Buffer.from(JSON.stringify({ code: 200, message: "Success", data, request_id, timestamp }));
    if (this.#has("cut", 0.4)) return { ...whole(body.subarray(0, body.length / 2), tookMs), isCut: true };
    for (const call of data.calls) {
      const versions = this.served.get(call.call_id) ?? [];
      if (versions[0] !== call) this.served.set(call.call_id, [call, ...versions]);
    }
    return whole(body, tookMs);
  };
}

const whole = (body: Buffer, tookMs: number): Response => ({ status: 200, headers: {}, body, tookMs });

function failure(status: number, message: string, tookMs: number): Response {
  return { status, headers: {}, body: Buffer.from(JSON.stringify({ code: status, message })), tookMs };
}
