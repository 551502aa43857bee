import { isDone, readTable } from "./looks.ts";
import type { TrueCall } from "./service.ts";
import type { Job, Ran, World } from "./types.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** The platform accepts the files, and then has the true conversions. */
export function checkUploads(world: World, ran: Ran | "the end"): string | undefined {
  if (ran === "the end" || !ran.args.includes("google-ads")) return undefined;
  const folder = String(ran.args.at(-1));
  if (folder === world.thrownAway) return undefined;
  // Of a killed export, the platform gets what the ledger has as written.
  if (ran.isKilled) return isWritten(world, folder) ? takeFiles(world, folder) : undefined;
  if (!isDone(ran)) return undefined;
  return takeFiles(world, folder) ?? compareConversions(world);
}

function isWritten({ read, path }: World, folder: string): boolean {
  const [file] = read("SELECT path, draft FROM upload_files ORDER BY upload_file_id DESC LIMIT 1");
  return file?.draft === null && String(file.path).startsWith(path(folder));
}

function takeFiles(world: World, folder: string): string | undefined {
  const { conversions } = world;
  for (const row of readTable(world.path(folder, "google-ads.csv"), 2)) {
    const order = row["Order ID"] ?? "";
    // A restored warehouse reports again what it does not know; the platform ignores that.
    if (conversions.has(order) && world.restored === undefined) return `order ${order} is uploaded twice`;
    if (conversions.has(order)) continue;
    world.count("conversions uploaded");
    const value = toValue(row["Conversion Value"]);
    conversions.set(order, {
      callId: Number(/^call-(\d+)/.exec(order)?.[1]),
      toldAt: world.uptime(),
      value,
      isRetracted: false,
    });
  }
  for (const row of readTable(world.path(folder, "google-ads-adjustments.csv"), 2)) {
    const conversion = conversions.get(row["Order ID"] ?? "");
    if (conversion === undefined) return `order ${row["Order ID"]} is adjusted, and was never uploaded`;
    world.count("conversions adjusted");
    if (row["Adjustment Type"] === "RETRACT")
      Object.assign(conversion, { isRetracted: true, retractedAt: world.uptime() });
    else conversion.value = toValue(row["Adjusted Value"]);
  }
  return undefined;
}

const toValue = (text = "") => (text === "" ? null : Number(text));

function compareConversions(world: World): string | undefined {
  // For calls that a restored warehouse has retracted and reported again, the platform has another order id.
  if (world.basis === undefined || world.restored !== undefined) return undefined;
  world.count("ledgers compared");
  const { calls } = world.basis;
  const expected = firstOfClicks(world, [...calls.values()]);
  const worths = new Map([...expected.keys()].map((id) => [id, worthOf(world, calls, id)]));
  // A call without revenue is not a conversion.
  for (const [id, worth] of worths) if (worth === 0) expected.delete(id);
  // The revenue is no longer known: the next file has the call again, without a value.
  const waiting = new Set(
    [...world.conversions.values()].flatMap(({ callId, retractedAt }) =>
      retractedAt === world.uptime() && worths.get(callId) === null ? callId : [],
    ),
  );
  const active = new Map(
    [...world.conversions.values()]
      .filter(({ isRetracted }) => !isRetracted)
      .map((each) => [each.callId, each]),
  );
  const ageOf = (call: TrueCall) => world.now() - Date.parse(call.call_started);
  const clickOf = (id: number) => (calls.get(id) ?? world.service.removed.get(id)?.call)?.dni_data.gclid;
  // While a job is open, a conversion keeps the value that was known last.
  const isLastKnown = (id: number) => worths.get(id) === null && jobsOf(world, calls, id).some(isOpen);
  const settled = new Set<string | undefined>();
  for (const [id, { value }] of active) {
    const call = calls.get(id) ?? world.service.removed.get(id)?.call;
    if (call === undefined) return `call ${id} was uploaded, and there never was one`;
    // Older ones cannot be adjusted, and remain.
    if (ageOf(call) > 53 * DAY_MS) settled.add(clickOf(id));
    else if (!expected.has(id)) return `call ${id} is a conversion on the platform, but should not be`;
    else if (value !== worths.get(id) && !isLastKnown(id))
      return `call ${id} is worth ${value} on the platform instead of ${worths.get(id)}`;
    else if (world.value === "outcome" && value !== null) world.count("conversions worth what was earned");
  }
  for (const [id, call] of expected) {
    const ageMs = ageOf(call);
    const isDue = ageMs > 7 * HOUR_MS && ageMs < 53 * DAY_MS && !settled.has(call.dni_data.gclid);
    if (isDue && !active.has(id) && !waiting.has(id))
      return `call ${id} is a conversion that was not reported to the platform`;
  }
  return undefined;
}

/** The revenue of the calls of a call's click; 0 for nothing, null if it is not known yet. */
function worthOf(world: World, calls: ReadonlyMap<number, TrueCall>, id: number): number | null {
  if (world.value !== "outcome") return world.value;
  const jobs = jobsOf(world, calls, id);
  const earned = jobs.reduce((sum, { stage, amount }) => sum + (stage === "sold" ? (amount ?? 0) : 0), 0);
  if (earned > 0) return earned / 100;
  return jobs.some(isOpen) || jobs.length === 0 ? null : 0;
}

/** The jobs of the calls of a call's click. */
function jobsOf(world: World, calls: ReadonlyMap<number, TrueCall>, id: number): Job[] {
  const click = calls.get(id)?.dni_data.gclid;
  return [...world.jobs.values()].filter(({ callId }) => calls.get(callId)?.dni_data.gclid === click);
}

const isOpen = ({ stage, amount }: Job) => stage === "booked" || (stage === "sold" && amount === null);

/** The first qualified call of each click. */
function firstOfClicks({ rules }: World, calls: readonly TrueCall[]): Map<number, TrueCall> {
  const qualified = calls.filter(
    ({ disposition, duration, dni_data }) =>
      dni_data.gclid !== undefined && disposition === "ANSWERED" && duration >= rules.qualified_seconds,
  );
  const inOrder = qualified.sort(
    (a, b) => Date.parse(a.call_started) - Date.parse(b.call_started) || a.call_id - b.call_id,
  );
  const clicks = Map.groupBy(inOrder, ({ dni_data }) => dni_data.gclid);
  return new Map(
    [...clicks.values()].flatMap(([first]) => (first === undefined ? [] : [[first.call_id, first]])),
  );
}
