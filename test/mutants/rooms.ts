/** A stretch of the program that decides something, and how much of what may go wrong there its tests notice. */
export interface Room {
  /** The share of mutants, in percent, that a test must notice, equivalent ones aside. */
  floor: number;
  /** Files, and the tests that have to notice it when they decide otherwise; as short a list as does. */
  parts: readonly Part[];
}

export interface Part {
  files: readonly string[];
  /** Those that run the files in their own process: a mutant is switched on there, and a child does not see it. */
  tests: readonly string[];
}

/** Each file with the test of its own name. */
const own = (folder: string, ...names: string[]): Part[] =>
  names.map((name) => ({ files: [`src/${folder}/${name}.ts`], tests: [`test/${folder}/${name}.test.ts`] }));

export const ROOMS: Readonly<Record<string, Room>> = {
  attribution: {
    floor: 95,
    parts: [
      ...own("attribution", "attribution-rules", "call-text", "explain-attribution", "microsoft-click-id"),
      ...own("attribution", "phone-mentions", "referring-host", "remember"),
      {
        files: ["src/attribution/{attribute-call,compiled-rules}.ts"],
        tests: ["test/attribution/{attribute-call,golden}.test.ts"],
      },
      {
        files: ["src/attribution/channel-{rules,sites}.ts"],
        tests: ["test/attribution/channel-rules.test.ts"],
      },
    ],
  },
  paging: {
    floor: 95,
    parts: [
      ...own("paging", "evidence", "id-sketch", "order-key", "slice", "throttle", "verdict"),
      {
        files: ["src/paging/{chain,pass,prefetch,record,walk}.ts"],
        tests: ["test/paging/{chain,traces}.test.ts"],
      },
    ],
  },
  calendar: {
    floor: 90,
    parts: [
      ...own("calendar", "age-text", "comparison", "dates", "local-time", "periods"),
      {
        files: ["src/calendar/zone-names.ts"],
        tests: ["test/calendar/zone-names.test.ts", "test/config/time-zone.test.ts"],
      },
    ],
  },
  retry: { floor: 90, parts: own("api", "retry") },
  spend: { floor: 90, parts: [{ files: ["src/spend/*.ts"], tests: ["test/spend/*.test.ts"] }] },
};
