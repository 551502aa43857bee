import { execFile } from "node:child_process";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attempt } from "../../../src/base/errors.ts";
import { seededRandom } from "../../../src/sandbox/random.ts";
import { checkCertificate, writeCertificate } from "../../../src/service/paging/certificate.ts";
import { busyTimelines } from "../../service/paging/lossy-timelines.ts";
import { honestTimelines, wideTimelines, wildTimelines } from "../../service/paging/random-service.ts";
import { isSure, lives, type Reading, readings } from "../../service/paging/walks.ts";
import { DRAWING, draws } from "../../support/draws.ts";
import { findPeer } from "../../support/peers.ts";

const RUNS = draws(350);
const SCRIPT = join(import.meta.dirname, "verify.py");
const PYTHON = findPeer("python3");

interface Pass {
  lines: string[];
  ids: Set<number | null>;
}

const anyTimeline = fc.oneof(wildTimelines, honestTimelines, wideTimelines, busyTimelines);

/** Returns the certificates of the proven passes over drawn services. */
async function certify(seed: number): Promise<Pass[]> {
  const passes: Pass[] = [];
  for (const reading of fc.sample(readings(anyTimeline), { numRuns: RUNS, seed })) {
    const lines = await certifyOne(reading);
    if (lines !== undefined) passes.push(lines);
  }
  return passes;
}

async function certifyOne(reading: Reading): Promise<Pass | undefined> {
  const outcome = await lives(reading);
  if (!isSure(outcome)) return undefined;
  const { slices, verdict, evidence, limit } = outcome;
  const ids = new Set(slices.flatMap(({ rows }) => rows.map(({ id }) => id)));
  const at = (page: number) => new Date(1_790_000_000_000 + page).toISOString();
  const header = {
    run_id: 1,
    calls: ids.size,
    overlap: reading.overlap,
    verdict,
    limit,
  };
  const pages = slices.map((slice, page) => ({ ...slice, fetchedAt: at(page) }));
  return { lines: [...writeCertificate(header, evidence, () => pages)], ids };
}

/** The result of the first verifier; it may also get the calls of the warehouse. */
function isHeld(lines: readonly string[], ids?: ReadonlySet<number | null>): boolean {
  const checked = attempt(() => checkCertificate(lines));
  if (checked === undefined || checked.problems.length > 0) return false;
  return ids === undefined || checked.ids.symmetricDifference(ids).size === 0;
}

// biome-ignore lint/suspicious/noExplicitAny: lines are forged in ways that no type allows
type Json = any;

const edit = (line: string, change: (page: Json) => object) =>
  JSON.stringify({ ...JSON.parse(line), ...change(JSON.parse(line)) });

type Change = (page: Json) => object;
const inLine = (at: number, change: Change) => (lines: string[]) =>
  lines.with(at, edit(lines[at] ?? "", change));
const inHeader = (change: Change) => inLine(0, change);
const inPage = (change: Change) => inLine(1, change);

/** Ways to forge a certificate, each at a drawn page. */
const FORGERIES: Record<string, (lines: string[], page: number) => string[]> = {
  "a page is left out": (lines, page) => lines.toSpliced(page, 1),
  "a page is left out, and the header says so": (lines, page) =>
    inHeader(({ pages }) => ({ pages: pages - 1 }))(lines.toSpliced(page, 1)),
  "two pages are swapped": (lines, page) => {
    const other = page + 1 < lines.length ? page + 1 : 1;
    return lines.with(page, lines[other] ?? "").with(other, lines[page] ?? "");
  },
  "a total is another": (lines, page) => inLine(page, ({ total }) => ({ total: total + 1 }))(lines),
  "an id is another": (lines, page) =>
    inLine(page, ({ ids }) => ({ ids: [...ids.slice(0, -1), ids.at(-1) + 1_000_000] }))(lines),
  "the key is another": inHeader(({ order_key }) => ({
    order_key: String(order_key).replace(/asc|desc/, (way) => (way === "asc" ? "desc" : "asc")),
  })),
  "the verdict is better": inHeader(({ verdict }) => ({
    verdict: verdict === "exact" ? "verified" : "exact",
  })),
};

const inText = (from: string | RegExp, to: string, line: number) => (lines: string[]) =>
  lines.with(line, (lines[line] ?? "").replace(from, to));
const first = (values: Json[], value: Json) => [value, ...values.slice(1)];

/** Ways to break the format, which both verifiers find in any certificate. */
const MUTATIONS: Record<string, (lines: string[]) => string[]> = {
  "another format": inHeader(() => ({ format: "calltally certificate 2" })),
  "an unknown member of the header": inHeader(() => ({ note: "" })),
  "an unknown member of a page": inPage(() => ({ note: "" })),
  "an unknown member of a look": inHeader(() => ({
    behind: [{ after: 99, offset: 0, total: 0, rows: 0, request_id: null, note: "" }],
  })),
  "no run": inHeader(() => ({ run_id: undefined })),
  "a run that is text": inHeader(({ run_id }) => ({ run_id: `${run_id}` })),
  "a run that is a fraction": inHeader(() => ({ run_id: 1.5 })),
  "a run that is true": inHeader(() => ({ run_id: true })),
  "a run above 2^53": inText(/"run_id":1\b/, '"run_id":9007199254740993', 0),
  "a negative overlap": inHeader(() => ({ overlap: -1 })),
  "a negative limit": inHeader(() => ({ limit: -1 })),
  "a negative number of calls": inHeader(() => ({ calls: -1 })),
  "one call more": inHeader(({ calls }) => ({ calls: calls + 1 })),
  "another first total": inHeader(({ first_total }) => ({ first_total: first_total + 1 })),
  "another last total": inHeader(({ last_total }) => ({ last_total: last_total + 1 })),
  "one page fewer": inHeader(({ pages }) => ({ pages: pages - 1 })),
  "one page more": inHeader(({ pages }) => ({ pages: pages + 1 })),
  "no order": inHeader(() => ({ order_key: null })),
  "an order that is a list": inHeader(({ order_key }) => ({ order_key: [order_key] })),
  "an unproven verdict": inHeader(() => ({ verdict: "probable" })),
  "a word of the second verifier as verdict": inHeader(() => ({ verdict: "in doubt" })),
  "no closing look": inHeader(() => ({ closing: 0 })),
  "looks that are null": inHeader(() => ({ behind: null })),
  "a look that is a number": inHeader(() => ({ behind: [1] })),
  "a negative offset": inPage(() => ({ offset: -1 })),
  "an offset that is not the front": inPage(() => ({ offset: 1 })),
  "a total that is null": inPage(() => ({ total: null })),
  "a request id that is a number": inPage(() => ({ request_id: 1 })),
  "a time that is no date": inPage(() => ({ fetched_at: "2026-02-30T00:00:00.000Z" })),
  "a time without a zone": inPage(() => ({ fetched_at: "2026-02-20T00:00:00.000" })),
  "a time that is a number": inPage(() => ({ fetched_at: 1_790_000_000_000 })),
  "no time": inPage(() => ({ fetched_at: undefined })),
  "no ids": inPage(() => ({ ids: undefined })),
  "an id that is text": inPage(({ ids }) => ({ ids: first(ids, "7") })),
  "an id that is a fraction": inPage(({ ids }) => ({ ids: first(ids, 0.5) })),
  "ids beyond 2^53": inPage(({ ids }) => ({ ids: [...ids, 2 ** 53 - 1, 2 ** 53 - 1] })),
  "starts for some ids only": inPage(({ ids }) => ({ starts: [], ids: [...ids, 1] })),
  "a start after the year 9999": inPage(({ ids }) => ({ starts: ids.map(() => 253_402_300_800_000) })),
  "names for some ids only": inPage(({ ids }) => ({ names: [], ids: [...ids, 1] })),
  "a negative rank": inPage(({ ids }) => ({ names: ids.map(() => -1) })),
  "a rank of eleven digits": inPage(({ ids }) => ({ names: ids.map(() => 10 ** 10) })),
  "a negative index of a rejected row": inPage(() => ({ rejected: [-1] })),
  "a number that JSON has not": inText(/"total":\d+/, '"total":NaN', 1),
  "a page that is a list": (lines) => lines.with(1, "[]"),
  "a page that is null": (lines) => lines.with(1, "null"),
  "a page that is cut off": (lines) => lines.with(1, (lines[1] ?? "").slice(0, -1)),
  "an empty line at the end": (lines) => [...lines, ""],
  "an empty line within": (lines) => lines.toSpliced(1, 0, ""),
  "no pages": (lines) => lines.slice(0, 1),
  nothing: () => [""],
};

/** The share of those that are found, since some forged ones prove the same. */
const LEAST_FOUND: Readonly<Record<string, number>> = {
  "a page is left out, and the header says so": 0.4,
  "two pages are swapped": 0,
  "a total is another": 0.2,
  "an id is another": 0.2,
};

/** The result of the second verifier for each. */
function askPython(certificates: readonly (readonly string[])[]): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = execFile("python3", [SCRIPT, "--many"], { maxBuffer: 1e9 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout.trim().split("\n")),
    );
    child.stdin?.end(certificates.map((lines) => `${JSON.stringify(lines)}\n`).join(""));
  });
}

describe("certificates of proven passes over random services", () => {
  const { seed } = DRAWING;
  const random = seededRandom(seed);

  it.skipIf(PYTHON.isMissing)(
    `both verifiers accept certificates, and refuse forged ones${PYTHON.note}`,
    async () => {
      const passes = await certify(seed);
      expect(passes.filter(({ lines, ids }) => !isHeld(lines, ids))).toEqual([]);
      const forged = passes.flatMap(({ lines, ids }) =>
        Object.entries(FORGERIES).map(([how, forge]) => {
          const page = 1 + Math.floor(random() * (lines.length - 1));
          return { how, ids, lines: forge([...lines], page) };
        }),
      );
      const all = [...passes.map((pass) => ({ ...pass, how: "honest" })), ...forged];
      const second = await askPython(all.map(({ lines }) => lines));
      const apart = all.flatMap(({ how, lines }, at) =>
        isHeld(lines) === (second[at] === "holds") ? [] : [{ how, second: second[at], lines }],
      );
      expect(apart).toEqual([]);
      const pass = passes.find(({ ids }) => ids.size > 1);
      const mutated = Object.entries(MUTATIONS).map(([how, mutate]) => ({
        how,
        lines: mutate(pass?.lines ?? []),
      }));
      const said = await askPython(mutated.map(({ lines }) => lines));
      const accepted = mutated.flatMap(({ how, lines }, at) =>
        isHeld(lines) || said[at] === "holds" ? [{ how, first: isHeld(lines), second: said[at], lines }] : [],
      );
      expect(accepted).toEqual([]);
      // Some forged ones prove the same: the proof does not depend on the order of pages that join, nor on each total.
      const found = Map.groupBy(forged, ({ how }) => how);
      const shares = [...found].map(([how, each]) => {
        const share = each.filter(({ lines, ids }) => !isHeld(lines, ids)).length / each.length;
        return { how, share, isEnough: share >= (LEAST_FOUND[how] ?? 1) };
      });
      expect(shares.filter(({ isEnough }) => !isEnough)).toEqual([]);
    },
  );
});
