export interface OrgUnit {
  readonly id: number;
  readonly name: string;
  readonly trackingNumbers: readonly [string, ...string[]];
}

export const ORG_UNITS: readonly [OrgUnit, ...OrgUnit[]] = [
  {
    id: 2101,
    name: "Northwind Austin",
    trackingNumbers: ["+15125550101", "+15125550117", "+15125550142"],
  },
  {
    id: 2102,
    name: "Northwind Dallas",
    trackingNumbers: ["+12145550108", "+12145550133", "+12145550160"],
  },
  {
    id: 2107,
    name: "Northwind Houston",
    trackingNumbers: ["+17135550104", "+17135550119", "+17135550177"],
  },
  {
    id: 2115,
    name: "Northwind Plumbing, San Antonio",
    trackingNumbers: ["+12105550112", "+12105550139", "+12105550185"],
  },
];

export interface Disposition {
  readonly spelling: string;
  readonly isAnswered: boolean;
  readonly weight: number;
}

export const DISPOSITIONS: readonly [Disposition, ...Disposition[]] = [
  { spelling: "ANSWERED", isAnswered: true, weight: 58 },
  { spelling: "answered", isAnswered: true, weight: 6 },
  { spelling: "TRANSFERRED", isAnswered: true, weight: 6 },
  { spelling: "NO ANSWER", isAnswered: false, weight: 9 },
  { spelling: "no-answer", isAnswered: false, weight: 2 },
  { spelling: "VOICEMAIL", isAnswered: false, weight: 8 },
  { spelling: "voicemail", isAnswered: false, weight: 1 },
  { spelling: "BUSY", isAnswered: false, weight: 3 },
  { spelling: "FAILED", isAnswered: false, weight: 2 },
  { spelling: "ABANDONED", isAnswered: false, weight: 5 },
];

// biome-ignore format: a table reads better in columns
const AREA_CODES = [
  "210", "214", "254", "281", "361", "409", "469", "512", "682", "713",
  "737", "806", "817", "830", "832", "903", "915", "936", "940", "972",
  "202", "206", "303", "305", "312", "404", "415", "504", "602", "615",
  "617", "619", "646", "702", "718", "773", "813", "916", "918", "949",
];

const LINES_PER_AREA = 10_000;
const FOREIGN_EVERY = 50;

/** Up to 400,000 different numbers in ranges reserved for fiction: the exchange 555 and the British 07700 900. */
export function phoneNumberOf(caller: number): string {
  if (caller % FOREIGN_EVERY === FOREIGN_EVERY - 1) {
    const line = Math.floor(caller / FOREIGN_EVERY) % 1000;
    return `+447700900${String(line).padStart(3, "0")}`;
  }
  // 7919 is coprime to the number of slots, so every caller gets another slot.
  const slot = (caller * 7919) % (AREA_CODES.length * LINES_PER_AREA);
  const line = Math.floor(slot / AREA_CODES.length);
  return `+1${AREA_CODES[slot % AREA_CODES.length]}555${String(line).padStart(4, "0")}`;
}
