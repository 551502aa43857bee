/** A change that no test can notice, since nothing it decides differs. */
export interface Equivalent {
  /** The line that it begins in. */
  on: string;
  from: string;
  to: string;
  because: string;
}

export const EQUIVALENT: Readonly<Record<string, readonly Equivalent[]>> = {
  "src/attribution/attribute-call.ts": [
    {
      on: 'source: source ?? "",',
      from: '""',
      to: '"Stryker was here!"',
      because: "no rule is about either",
    },
    {
      on: 'campaign: utm_campaign_folded ?? campaignName?.toLowerCase() ?? "",',
      from: '""',
      to: '"Stryker was here!"',
      because: "no rule is about either",
    },
  ],
  "src/attribution/attribution-rules.ts": [
    {
      on: "aliases: Object.fromEntries(Object.entries(aliases).sort(([a], [b]) => (a < b ? -1 : 1))),",
      from: "a < b",
      to: "a <= b",
      because: "no two names of an object are equal",
    },
  ],
  "src/attribution/call-text.ts": [
    {
      on: 'const isShort = trimmed.length <= LONGEST_MISSING_WORD || trimmed.startsWith("(");',
      from: 'trimmed.length <= LONGEST_MISSING_WORD || trimmed.startsWith("(")',
      to: "true",
      because: "it only spares a look at long texts",
    },
    {
      on: 'const isShort = trimmed.length <= LONGEST_MISSING_WORD || trimmed.startsWith("(");',
      from: '"("',
      to: '""',
      because: "it only spares a look at long texts",
    },
    {
      on: 'const digits = toPhoneDigits(present ?? "");',
      from: '""',
      to: '"Stryker was here!"',
      because: "neither is a number",
    },
    {
      on: "const NEITHER_LETTER_NOR_DIGIT = /[^\\p{L}\\p{N}]+/gu;",
      from: "/[^\\p{L}\\p{N}]+/gu",
      to: "/[^\\p{L}\\p{N}]/gu",
      because: "all of them are removed, one by one or together",
    },
  ],
  "src/attribution/channel-rules.ts": [
    {
      on: 'const [source = "", medium = "", ...campaign] = text.split("\\n");',
      from: '""',
      to: '"Stryker was here!"',
      because: "the text has three lines",
    },
  ],
  "src/attribution/microsoft-click-id.ts": [
    {
      on: 'const parameter = PARAMETER.exec(referringUrl ?? "")?.[1];',
      from: '""',
      to: '"Stryker was here!"',
      because: "neither has a parameter",
    },
  ],
  "src/attribution/phone-mentions.ts": [
    {
      on: "return done === 0 ? text : masked + text.slice(done);",
      from: "done === 0",
      to: "false",
      because: "it only spares a copy",
    },
    {
      on: "if (code < 0x80) return digit;",
      from: "code < 0x80",
      to: "code <= 0x80",
      because: "0x80 is no digit",
    },
    {
      on: 'const [code = ""] = COUNTRY_CODE.exec(bare) ?? [];',
      from: '""',
      to: '"Stryker was here!"',
      because: "without a code fewer than three digits are left",
    },
    {
      on: 'const [code = ""] = COUNTRY_CODE.exec(bare) ?? [];',
      from: "[]",
      to: '["Stryker was here"]',
      because: "without a code fewer than three digits are left",
    },
    {
      on: "const COUNTRY_CODE = /^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\\d{3})/;",
      from: "/^(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\\d{3})/",
      to: "/(?:[17]|2[07]|3[0-469]|4[013-9]|5[1-8]|6[0-6]|8[1246]|9[0-58]|\\d{3})/",
      because: "of three digits the first begin a code",
    },
  ],
  "src/attribution/referring-host.ts": [
    {
      on: `return hostOf(origin === undefined ? address : \`\${origin}/\`);`,
      from: "origin === undefined",
      to: "true",
      because: "it only lets more addresses share what is remembered",
    },
    {
      on: "const ORIGIN = /^https?:\\/\\/[^/?#\\\\\\t\\r\\n]+(?=[/?#\\\\]|$)/i;",
      from: "/^https?:\\/\\/[^/?#\\\\\\t\\r\\n]+(?=[/?#\\\\]|$)/i",
      to: "/^https:\\/\\/[^/?#\\\\\\t\\r\\n]+(?=[/?#\\\\]|$)/i",
      because: "it only lets more addresses share what is remembered",
    },
    {
      on: "const ORIGIN = /^https?:\\/\\/[^/?#\\\\\\t\\r\\n]+(?=[/?#\\\\]|$)/i;",
      from: "/^https?:\\/\\/[^/?#\\\\\\t\\r\\n]+(?=[/?#\\\\]|$)/i",
      to: "/^https?:\\/\\/[^/?#\\\\\\t\\r\\n](?=[/?#\\\\]|$)/i",
      because: "it only lets more addresses share what is remembered",
    },
    {
      on: "const ORIGIN = /^https?:\\/\\/[^/?#\\\\\\t\\r\\n]+(?=[/?#\\\\]|$)/i;",
      from: "/^https?:\\/\\/[^/?#\\\\\\t\\r\\n]+(?=[/?#\\\\]|$)/i",
      to: "/^https?:\\/\\/[^/?#\\\\\\t\\r\\n]+(?=[/?#\\\\])/i",
      because: "it only lets more addresses share what is remembered",
    },
    {
      on: 'if (HOSTLESS.has(url?.protocol ?? "")) return null;',
      from: '""',
      to: '"Stryker was here!"',
      because: "neither is a scheme",
    },
    {
      on: `const host = withoutRoot(URL.parse(\`http://\${address}\`)?.hostname ?? "");`,
      from: '""',
      to: '"Stryker was here!"',
      because: "neither is a host",
    },
  ],
  "src/calendar/age-text.ts": [
    {
      on: "const [, count, unit] = /^(\\d{1,6})([mhd])$/.exec(text) ?? [];",
      from: "[]",
      to: '["Stryker was here"]',
      because: "the first of them is not looked at",
    },
  ],
  "src/calendar/comparison.ts": [
    {
      on: 'const isByMonths = grain === "month" || grain === "quarter" || (kind === "year" && grain === "day");',
      from: 'grain === "day"',
      to: "true",
      because: "52 weeks before no day of a month is the same",
    },
  ],
  "src/calendar/dates.ts": [
    {
      on: 'const date = Temporal.PlainDate.from({ year, month, day: Math.max(1, day) }, { overflow: "constrain" });',
      from: '{ overflow: "constrain" }',
      to: "{}",
      because: "it is the default",
    },
    {
      on: "/^(?:last)?(\\d*)(d|days?|w|weeks?|m|months?|y|years?)?$/.exec(bare) ?? [];",
      from: "[]",
      to: '["Stryker was here"]',
      because: "the first of them is not looked at",
    },
    {
      on: 'yesterday: { count: 1, unit: "d" },',
      from: '"d"',
      to: '""',
      because: "what is neither weeks nor months is days",
    },
    {
      on: 'return /^(?:\\d+[dw]|today|yesterday)$/.test(text) ? "days" : kind;',
      from: "/^(?:\\d+[dw]|today|yesterday)$/",
      to: "/(?:\\d+[dw]|today|yesterday)$/",
      because: "no other text that is a range ends so",
    },
    {
      on: 'return /^(?:\\d+[dw]|today|yesterday)$/.test(text) ? "days" : kind;',
      from: "/^(?:\\d+[dw]|today|yesterday)$/",
      to: "/^(?:\\d+[dw]|today|yesterday)/",
      because: "no other text that is a range begins so",
    },
    {
      on: `if (from !== undefined && to !== undefined && from > to) throw new Error(\`\${from} is after \${to}\`);`,
      from: "from !== undefined && to !== undefined",
      to: "true",
      because: "nothing is after what is undefined, nor that after anything",
    },
    {
      on: `if (from !== undefined && to !== undefined && from > to) throw new Error(\`\${from} is after \${to}\`);`,
      from: "from !== undefined && to !== undefined",
      to: "from !== undefined || to !== undefined",
      because: "nothing is after what is undefined, nor that after anything",
    },
    {
      on: `if (from !== undefined && to !== undefined && from > to) throw new Error(\`\${from} is after \${to}\`);`,
      from: "from !== undefined",
      to: "true",
      because: "nothing is after what is undefined, nor that after anything",
    },
    {
      on: `if (from !== undefined && to !== undefined && from > to) throw new Error(\`\${from} is after \${to}\`);`,
      from: "to !== undefined",
      to: "true",
      because: "nothing is after what is undefined, nor that after anything",
    },
  ],
  "src/calendar/local-time.ts": [
    {
      on: "const endsAt = untilMs <= LAST_INSTANT_MS ? new Date(untilMs).toISOString() : undefined;",
      from: "untilMs <= LAST_INSTANT_MS",
      to: "untilMs < LAST_INSTANT_MS",
      because: "no zone has its clocks changed in the last millisecond of 9999",
    },
    {
      on: "const isIn = ({ fromMs, untilMs }: Span, ms: number) => fromMs <= ms && ms < untilMs;",
      from: "({ fromMs, untilMs }: Span, ms: number) => fromMs <= ms && ms < untilMs",
      to: "() => undefined",
      because: "it only spares asking the zone again",
    },
    {
      on: "const isIn = ({ fromMs, untilMs }: Span, ms: number) => fromMs <= ms && ms < untilMs;",
      from: "fromMs <= ms && ms < untilMs",
      to: "false",
      because: "it only spares asking the zone again",
    },
    {
      on: "const isIn = ({ fromMs, untilMs }: Span, ms: number) => fromMs <= ms && ms < untilMs;",
      from: "fromMs <= ms",
      to: "fromMs < ms",
      because: "it only spares asking the zone again",
    },
    {
      on: "const spans = [last];",
      from: "[last]",
      to: "[]",
      because: "it only spares asking the zone again",
    },
    {
      on: "if (!isIn(last, ms)) {",
      from: "!isIn(last, ms)",
      to: "true",
      because: "it only spares asking the zone again",
    },
    {
      on: "const known = spans.find((span) => isIn(span, ms));",
      from: "(span) => isIn(span, ms)",
      to: "() => undefined",
      because: "it only spares asking the zone again",
    },
    {
      on: "if (known === undefined) spans.push(last);",
      from: "known === undefined",
      to: "true",
      because: "it only spares asking the zone again",
    },
    {
      on: "if (known === undefined) spans.push(last);",
      from: "known === undefined",
      to: "false",
      because: "it only spares asking the zone again",
    },
    {
      on: "if (known === undefined) spans.push(last);",
      from: "known === undefined",
      to: "known !== undefined",
      because: "it only spares asking the zone again",
    },
    {
      on: "if (known === undefined) spans.push(last);",
      from: "spans.push(last);",
      to: ";",
      because: "it only spares asking the zone again",
    },
  ],
  "src/calendar/periods.ts": [
    {
      on: "Temporal.PlainDate.compare(a, b) < 0 ? a : b;",
      from: "Temporal.PlainDate.compare(a, b) < 0",
      to: "Temporal.PlainDate.compare(a, b) <= 0",
      because: "of two equal dates it is either",
    },
  ],
  "src/conversions/adjustments.ts": [
    {
      on: "const isRepeated = repeats !== undefined && hasUploadFile(reader, ADJUSTMENTS, repeats);",
      from: "repeats !== undefined",
      to: "true",
      because: "no file is of no run",
    },
    {
      on: '{ name: "call_id", type: "integer" },',
      from: '"integer"',
      to: '""',
      because: "in CSV only texts are told from others",
    },
    {
      on: '{ name: "conversion_time", type: "time" },',
      from: '"time"',
      to: '""',
      because: "in CSV only texts are told from others",
    },
    {
      on: '{ name: "adjustment", type: "text" },',
      from: '"text"',
      to: '""',
      because: "in CSV only texts are told from others, and this one begins as no formula does",
    },
    {
      on: '{ name: "reason", type: "text" },',
      from: '"text"',
      to: '""',
      because: "in CSV only texts are told from others, and this one begins as no formula does",
    },
  ],
  "src/conversions/find-adjustments.ts": [
    {
      on: "...new Set(standing.flatMap((order) => (order.is_every === every ? order.call_id : []))),",
      from: "order.is_every === every",
      to: "true",
      because: "it only spares a look at calls of the other rule",
    },
    {
      on: "...new Set(standing.flatMap((order) => (order.is_every === every ? order.call_id : []))),",
      from: "[]",
      to: '["Stryker was here"]',
      because: "there is no such call",
    },
    {
      on: "if (exclude_callers === undefined) return [every, reasonsOfAll];",
      from: "exclude_callers === undefined",
      to: "false",
      because: "it only spares a second look, at the same calls",
    },
    {
      on: 'const reason = reasons?.has(call_id) ? (reasons.get(call_id) ?? null) : "gone";',
      from: "reasons?.has",
      to: "reasons.has",
      because: "there are reasons by each rule",
    },
  ],
  "src/conversions/conversions.ts": [
    {
      on: "if (reason !== undefined || key === null || call_started === null) continue;",
      from: "key === null",
      to: "false",
      because: "without a key there is a reason",
    },
    {
      on: "if (reason !== undefined || key === null || call_started === null) continue;",
      from: "call_started === null",
      to: "false",
      because: "without a time there is a reason",
    },
    {
      on: '{ name: "call_id", type: "integer" },',
      from: '"integer"',
      to: '""',
      because: "in CSV only texts are told from others",
    },
    {
      on: '{ name: "call_started", type: "time" },',
      from: '"time"',
      to: '""',
      because: "in CSV only texts are told from others",
    },
    {
      on: '{ name: "reason", type: "text" },',
      from: '"text"',
      to: '""',
      because: "in CSV only texts are told from others, and this one begins as no formula does",
    },
    {
      on: "const usedIds = new Set(lines.flatMap(({ order_id }) => order_id ?? []));",
      from: "[]",
      to: '["Stryker was here"]',
      because: "no order id is such a word",
    },
    {
      on: 'const key = keys.get(call_id) ?? "";',
      from: '""',
      to: '"Stryker was here!"',
      because: "no call has either for its key",
    },
    {
      on: "const isRepeated = repeats !== undefined && hasUploadFile(reader, kind, repeats);",
      from: "repeats !== undefined",
      to: "true",
      because: "no file is of no run",
    },
    {
      on: "const isTold = key !== null && call_started !== null && lasting.has(toSame(key, call_started));",
      from: "key !== null && call_started !== null",
      to: "true",
      because: "whatever has no key or no time is left out before",
    },
    {
      on: "const isTold = key !== null && call_started !== null && lasting.has(toSame(key, call_started));",
      from: "key !== null && call_started !== null",
      to: "key !== null || call_started !== null",
      because: "whatever has no key or no time is left out before",
    },
    {
      on: "const isTold = key !== null && call_started !== null && lasting.has(toSame(key, call_started));",
      from: "key !== null",
      to: "true",
      because: "whatever has no key or no time is left out before",
    },
    {
      on: "const isTold = key !== null && call_started !== null && lasting.has(toSame(key, call_started));",
      from: "call_started !== null",
      to: "true",
      because: "whatever has no key or no time is left out before",
    },
  ],
  "src/conversions/conversion-kinds.ts": [
    {
      on: 'return occurred_at.replace(/\\.\\d+Z$/, "Z");',
      from: "/\\.\\d+Z$/",
      to: "/\\.\\d+Z/",
      because: "nothing follows the Z",
    },
  ],
  "src/restatements/restatement-file.ts": [
    {
      on: '{ name: "was", type: "decimal" },',
      from: '"decimal"',
      to: '""',
      because: "in CSV only text is told from other types",
    },
    {
      on: '{ name: "now", type: "decimal" },',
      from: '"decimal"',
      to: '""',
      because: "in CSV only text is told from other types",
    },
    {
      on: '{ name: "change", type: "decimal" },',
      from: '"decimal"',
      to: '""',
      because: "in CSV only text is told from other types",
    },
    {
      on: '{ name: "given_out_at", type: "time" },',
      from: '"time"',
      to: '""',
      because: "in CSV only text is told from other types",
    },
    {
      on: `{ name: \`\${reason}_effect\`, type: "decimal" },`,
      from: '"decimal"',
      to: '""',
      because: "in CSV only text is told from other types",
    },
  ],
  "src/paging/chain.ts": [
    {
      on: "if (!(open & 1) || key === undefined) continue;",
      from: "key === undefined",
      to: "false",
      because: "there is a key for each bit",
    },
    {
      on: "if (key === undefined || first === undefined || last === undefined) return 0;",
      from: "first === undefined",
      to: "false",
      because: "there is a last one where there is a first",
    },
    {
      on: "if (key === undefined || first === undefined || last === undefined) return 0;",
      from: "last === undefined",
      to: "false",
      because: "there is a first one where there is a last",
    },
    {
      on: "if (inside.length === 0) return 0;",
      from: "inside.length === 0",
      to: "false",
      because: "it only spares the set",
    },
    {
      on: "if (!(left & 1) || key === undefined) continue;",
      from: "!(left & 1) || key === undefined",
      to: "!(left & 1) && key === undefined",
      because: "what has ended cannot end again",
    },
    {
      on: "if (!(left & 1) || key === undefined) continue;",
      from: "!(left & 1) || key === undefined",
      to: "false",
      because: "what has ended cannot end again",
    },
    {
      on: "if (!(left & 1) || key === undefined) continue;",
      from: "key === undefined",
      to: "false",
      because: "there is a key for each bit",
    },
  ],
  "src/paging/id-sketch.ts": [
    {
      on: "readonly #bits = new Uint32Array(BITS / 32);",
      from: "BITS / 32",
      to: "BITS * 32",
      because: "more memory, of which no more is used",
    },
  ],
  "src/paging/order-key.ts": [
    {
      on: 'const wanted = new Set((names ?? "").split(", "));',
      from: '""',
      to: '"Stryker was here!"',
      because: "no key has that name",
    },
    {
      on: "return left < right ? -1 : 1;",
      from: "left < right",
      to: "left <= right",
      because: "they are not equal there",
    },
  ],
  "src/paging/pass.ts": [
    {
      on: 'sort: Sort = "own",',
      from: '"own"',
      to: '""',
      because: "only source_name desc is told from the others",
    },
    {
      on: "yield* this.#walkOn(() => false);",
      from: "() => false",
      to: "() => undefined",
      because: "neither has arrived",
    },
    {
      on: '(this.#first !== undefined && isSettled(this.#first)) || (yield* this.#walkOn(isSettled)) === "arrived";',
      from: "this.#first !== undefined",
      to: "true",
      because: "a pass has begun before it reads on",
    },
    {
      on: "for (let fruitless = 0; edge !== undefined && fruitless < MAX_FRUITLESS; ) {",
      from: "edge !== undefined",
      to: "true",
      because: "a pass has begun before it reads on",
    },
    {
      on: 'return "lost";',
      from: '"lost"',
      to: '""',
      because: "it is only told from the other two",
    },
  ],
  "src/paging/record.ts": [
    {
      on: "const NOTHING: Slice = { offset: 0, total: 0, rows: [] };",
      from: "[]",
      to: '["Stryker was here"]',
      because: "a text has no place among calls",
    },
    {
      on: "beyond.rows.every(({ id }, index) => id === tail[index]?.id);",
      from: "tail[index]?.id",
      to: "tail[index].id",
      because: "the tail is as long",
    },
    {
      on: "this.#observe(slice, this.#chain.findLink(slice, false));",
      from: "false",
      to: "true",
      because: "only the unseen calls are taken of it",
    },
  ],
  "src/privacy/pseudonym.ts": [
    {
      on: "return caller !== null && PSEUDONYM.test(caller);",
      from: "caller !== null",
      to: "true",
      because: '"null" is no pseudonym',
    },
  ],
  "src/rollup/dimensions.ts": [
    {
      on: "return Object.keys(record).filter(isName);",
      from: "Object.keys(record).filter(isName)",
      to: "Object.keys(record)",
      because: "it only tells the type checker what the names are",
    },
  ],
  "src/rollup/figure-sql.ts": [
    {
      on: 'figureText(aggregate, { duration_unit: "seconds" }, (part) => {',
      from: '{ duration_unit: "seconds" }',
      to: "{}",
      because: "a figure is made of the same parts in each unit",
    },
    {
      on: 'figureText(aggregate, { duration_unit: "seconds" }, (part) => {',
      from: '"seconds"',
      to: '""',
      because: "a figure is made of the same parts in each unit",
    },
    {
      on: 'return "";',
      from: '""',
      to: '"Stryker was here!"',
      because: "the text is not looked at",
    },
  ],
  "src/rollup/metrics.ts": [
    {
      on: 'const CALL_FIGURES = metrics({ duration_unit: "seconds" }).map(({ name }) => name);',
      from: '{ duration_unit: "seconds" }',
      to: "{}",
      because: "the names are the same in each unit",
    },
    {
      on: 'const CALL_FIGURES = metrics({ duration_unit: "seconds" }).map(({ name }) => name);',
      from: '"seconds"',
      to: '""',
      because: "the names are the same in each unit",
    },
  ],
  "src/schedule/monitor.ts": [
    {
      on: "const [, address, name] = /^(?:\\[([0-9a-f:.]+)\\]|([\\w.-]+))(?::\\d{1,5})?$/i.exec(header) ?? [];",
      from: "[]",
      to: '["Stryker was here"]',
      because: "the first of them is not looked at",
    },
    {
      on: 'const host = (address ?? name ?? "").toLowerCase();',
      from: '""',
      to: '"Stryker was here!"',
      because: "neither is a host",
    },
  ],
  "src/schedule/child-queue.ts": [
    {
      on: 'signal.addEventListener("abort", leave, { once: true });',
      from: "{ once: true }",
      to: "{}",
      because: "a signal aborts once",
    },
    {
      on: 'signal.addEventListener("abort", leave, { once: true });',
      from: "true",
      to: "false",
      because: "a signal aborts once",
    },
    {
      on: 'signal.removeEventListener("abort", leave);',
      from: '"abort"',
      to: '""',
      because: "who has left can leave again, with nothing done",
    },
  ],
  "src/schedule/cron.ts": [
    {
      on: "for (let backMs = 60_000; backMs < 2 * LEAST_BACK_MS; backMs *= 2) {",
      from: "backMs < 2 * LEAST_BACK_MS",
      to: "backMs <= 2 * LEAST_BACK_MS",
      because: "no minute doubled again and again is as long as that",
    },
    {
      on: "if (slotMs > nowMs) continue;",
      from: "slotMs > nowMs",
      to: "slotMs >= nowMs",
      because: "a slot of now is found from farther back as well",
    },
    {
      on: 'const [dayOfMonth, dayOfWeek] = [fields.at(-3) ?? "", fields.at(-1) ?? ""];',
      from: '""',
      to: '"Stryker was here!"',
      because: "there are five fields at least",
    },
    {
      on: "const late = hours.filter((hour) => (hour + 1) * 3_600_000 > sinceMs);",
      from: "hours.filter((hour) => (hour + 1) * 3_600_000 > sinceMs)",
      to: "hours",
      because: "it only spares a look at hours that are over",
    },
    {
      on: "const late = hours.filter((hour) => (hour + 1) * 3_600_000 > sinceMs);",
      from: "(hour + 1) * 3_600_000 > sinceMs",
      to: "true",
      because: "it only spares a look at hours that are over",
    },
    {
      on: "const late = hours.filter((hour) => (hour + 1) * 3_600_000 > sinceMs);",
      from: "(hour + 1) * 3_600_000 > sinceMs",
      to: "(hour + 1) * 3_600_000 >= sinceMs",
      because: "it only spares a look at hours that are over",
    },
  ],
  "src/schedule/job-outcome.ts": [
    {
      on: "return exitCode === null || !TOLD.has(exitCode) || (isLate && exitCode !== EXIT.done);",
      from: "exitCode === null",
      to: "false",
      because: "of null nobody has told",
    },
  ],
  "src/schedule/prometheus-format.ts": [
    {
      on: 'return value > 0 ? "+Inf" : "-Inf";',
      from: "value > 0",
      to: "value >= 0",
      because: "zero is finite",
    },
  ],
  "src/spend/read-report.ts": [
    {
      on: "const aside = line.line < header ? kindOfTitle(line) : kindOf(line, columns);",
      from: "line.line < header",
      to: "line.line <= header",
      because: "the header itself was looked at before",
    },
    {
      on: 'const isTotal = TOTAL.test(filled[0]?.trim() ?? "");',
      from: '""',
      to: '"Stryker was here!"',
      because: "neither is a total",
    },
    {
      on: 'const asking = candidates.flatMap(({ day, line }) => ("day" in day ? [] : [{ ...day, line }]));',
      from: '"day"',
      to: '""',
      because: "a day that is known can be read in no other order",
    },
    {
      on: 'const asking = candidates.flatMap(({ day, line }) => ("day" in day ? [] : [{ ...day, line }]));',
      from: "[]",
      to: '["Stryker was here"]',
      because: "what is no date asks nothing",
    },
    {
      on: 'if (mdy || dmy) return mdy ? "mdy" : "dmy";',
      from: '"dmy"',
      to: '""',
      because: "whatever is not mdy is dmy",
    },
    {
      on: "...(cost === null ? [] : [signsOf(cost)]),",
      from: "[]",
      to: '["Stryker was here"]',
      because: "what has two signs or more tells nothing",
    },
    {
      on: "...[clicks, impressions].flatMap((whole) => (whole === null ? [] : [signsOfWhole(whole)])),",
      from: "[]",
      to: '["Stryker was here"]',
      because: "what has two signs or more tells nothing",
    },
    {
      on: "if (only !== undefined && other === undefined && !lineOf.has(only)) lineOf.set(only, line);",
      from: "only !== undefined",
      to: "true",
      because: "nobody asks for the line of no sign",
    },
    {
      on: `return \`the cost \${quote(cost?.body ?? "")} is no number of this file's form, or too long\`;`,
      from: "cost?.body",
      to: "cost.body",
      because: "what cannot be read is there",
    },
    {
      on: `return \`the cost \${quote(cost?.body ?? "")} is no number of this file's form, or too long\`;`,
      from: '""',
      to: '"Stryker was here!"',
      because: "what cannot be read is there",
    },
    {
      on: "const isCount = (micros: number | null) => micros === null || (micros % MICROS === 0 && micros >= 0);",
      from: "micros === null",
      to: "false",
      because: "null counts as 0, which is whole",
    },
  ],
  "src/spend/spend-amount.ts": [
    {
      on: 'const { paren = "", end = "", first = "", second = "", before = "", after = "", body = "" } = found;',
      from: '""',
      to: '"Stryker was here!"',
      because: "each group is found, and may be empty",
    },
    {
      on: 'const [whole = "", fraction = ""] = body.split(sign === "point" ? "." : ",");',
      from: '""',
      to: '"Stryker was here!"',
      because: "a text that is split has a first part",
    },
  ],
  "src/spend/spend-columns.ts": [
    {
      on: "[own.day, own.cost, marks].every((names) => names?.some((name) => indexOf(headers, name) !== undefined)),",
      from: "names?.some",
      to: "names.some",
      because: "each known report has a day and a cost",
    },
    {
      on: "const names = known?.headers[field] ?? [];",
      from: "[]",
      to: '["Stryker was here"]',
      because: "no header is named so",
    },
    {
      on: 'if (headers[day]?.full !== "reporting starts") indexes.delete("last_day");',
      from: "headers[day]?.full",
      to: "headers[day].full",
      because: "the index is of one of the headers",
    },
    {
      on: "return { report, source, medium, indexes, currency: headers[cost]?.currency ?? null, width };",
      from: "headers[cost]?.currency",
      to: "headers[cost].currency",
      because: "the index is of one of the headers",
    },
    {
      on: 'const [, name = "", code = ""] = /(.+?) ?\\(([a-z]{3})\\)$/.exec(full) ?? [];',
      from: "[]",
      to: '["Stryker was here"]',
      because: "the first of them is not looked at",
    },
    {
      on: 'const [, name = "", code = ""] = /(.+?) ?\\(([a-z]{3})\\)$/.exec(full) ?? [];',
      from: '""',
      to: '"Stryker was here!"',
      because: "neither is a currency, without which there is no name",
    },
    {
      on: 'const { full, name } = headers[index] ?? toHeader("");',
      from: '""',
      to: '"Stryker was here!"',
      because: "the index is of one of the headers",
    },
  ],
  "src/spend/spend-day.ts": [
    {
      on: 'function monthOf(name = ""): number {',
      from: '""',
      to: '"Stryker was here!"',
      because: "each group is found",
    },
  ],
  "src/sync/check-file.ts": [
    {
      on: "const ageMs = checkedAt === undefined ? Number.POSITIVE_INFINITY : clock.now() - Date.parse(checkedAt);",
      from: "checkedAt === undefined",
      to: "false",
      because: "what is no number is no age below the bound either",
    },
  ],
  "src/sync/claim-warehouse.ts": [
    {
      on: "rows.flatMap(({ id }) => id ?? []),",
      from: "[]",
      to: '["Stryker was here"]',
      because: "no call has a text as its id",
    },
    {
      on: "return rows.some(({ id, started }) => id !== null && started !== null && starts.get(id) === started);",
      from: "id !== null",
      to: "true",
      because: "no call is known by null",
    },
    {
      on: "return newest === null || rows.every(({ started }) => started !== null && started > newest);",
      from: "started !== null",
      to: "true",
      because: "null is not greater than a text",
    },
  ],
  "src/sync/finish.ts": [
    {
      on: "if (readUnsettled(warehouse) > 0) settleCallers(warehouse);",
      from: "readUnsettled(warehouse) > 0",
      to: "true",
      because: "callers that are settled are found as they are",
    },
    {
      on: "if (readUnsettled(warehouse) > 0) settleCallers(warehouse);",
      from: "readUnsettled(warehouse) > 0",
      to: "readUnsettled(warehouse) >= 0",
      because: "callers that are settled are found as they are",
    },
    {
      on: "if (startedAt === undefined || unplaced > 0 || clock.now() - Date.parse(startedAt) > HOUR_MS) {",
      from: "startedAt === undefined",
      to: "false",
      because: "a full pass has a first page",
    },
  ],
  "src/sync/plan.ts": [
    {
      on: "const newestAt = keys.find((key) => key.newestAt !== undefined)?.newestAt;",
      from: "key.newestAt !== undefined",
      to: "true",
      because: "keys by source stand behind those by id or start",
    },
  ],
  "src/sync/read-calls.ts": [
    {
      on: "id !== null && !store.lastWritten.has(id) && started !== null && started < oldBefore,",
      from: "id !== null",
      to: "true",
      because: "a row without an id has no start either",
    },
    {
      on: "id !== null && !store.lastWritten.has(id) && started !== null && started < oldBefore,",
      from: "started !== null",
      to: "true",
      because: "null is not less than a text",
    },
  ],
  "src/sync/service-clock.ts": [
    {
      on: 'const servedMs = Date.parse(timestamp ?? "");',
      from: '""',
      to: '"Stryker was here!"',
      because: "neither is a time",
    },
  ],
  "src/sync/row-sorter.ts": [
    {
      on: "const resigned: KnownCall[] = [];",
      from: "[]",
      to: '["Stryker was here"]',
      because: "no call has the id that is in none",
    },
  ],
  "src/sync/store.ts": [
    {
      on: 'const callIds = page.rows.flatMap((row) => ("rejected" in row ? [] : callOf(row).call_id));',
      from: "[]",
      to: '["Stryker was here"]',
      because: "no record has that as its key",
    },
    {
      on: "const metIds = rows.flatMap(({ id }) => id ?? []);",
      from: "[]",
      to: '["Stryker was here"]',
      because: "no call has that as its id",
    },
  ],
  "src/sync/undocumented-store.ts": [
    {
      on: "this.#hasRejected = readRejected(warehouse).length > 0;",
      from: "readRejected(warehouse).length > 0",
      to: "true",
      because: "it only spares the look for records that are not there",
    },
    {
      on: "this.#hasRejected = readRejected(warehouse).length > 0;",
      from: "readRejected(warehouse).length > 0",
      to: "readRejected(warehouse).length >= 0",
      because: "it only spares the look for records that are not there",
    },
    {
      on: "if (this.#hasRejected) deleteRejected(tx, callIds);",
      from: "this.#hasRejected",
      to: "true",
      because: "it only spares the look for records that are not there",
    },
    {
      on: "this.#hasRejected ||= rejected.length > 0;",
      from: "rejected.length > 0",
      to: "true",
      because: "it only spares the look for records that are not there",
    },
    {
      on: "this.#hasRejected ||= rejected.length > 0;",
      from: "rejected.length > 0",
      to: "rejected.length >= 0",
      because: "it only spares the look for records that are not there",
    },
  ],
  "src/warehouse/calls/call-facts.ts": [
    {
      on: "if (callIds.length === 0) return;",
      from: "callIds.length === 0",
      to: "false",
      because: "it only spares a look for no calls",
    },
    {
      on: '.where(inArray(call_id, elementsOf("ids"))),',
      from: '"ids"',
      to: '""',
      because: "the value is bound by its position",
    },
  ],
  "src/warehouse/calls/caller-names.ts": [
    {
      on: 'sqlite.function("renamed_caller", { directOnly: true, deterministic: true }, (caller) =>',
      from: "{ directOnly: true, deterministic: true }",
      to: "{}",
      because: "no view or trigger names the function, and it is only called more often",
    },
    {
      on: 'sqlite.function("renamed_caller", { directOnly: true, deterministic: true }, (caller) =>',
      from: "true",
      to: "false",
      because: "no view or trigger names the function; or it is only called more often",
    },
  ],
  "src/warehouse/calls/callers.ts": [
    {
      on: '.where(inArray(caller, elementsOf("callers"))),',
      from: '"callers"',
      to: '""',
      because: "it is bound by position, whatever it is called",
    },
    {
      on: `.where(and(eq(call_facts.caller, sql.placeholder("caller")), sql\`\${call_facts.is_live}\`))`,
      from: '"caller"',
      to: '""',
      because: "it is bound by position, whatever it is called",
    },
    {
      on: '.limit(sql.placeholder("limit")),',
      from: '"limit"',
      to: '""',
      because: "it is bound by position, whatever it is called",
    },
    {
      on: "if (caller === null) continue;",
      from: "caller === null",
      to: "false",
      because: "of nobody nothing is stored, and nothing is deleted",
    },
    {
      on: "entry.isOpen ||= entry.first?.call_id === call_id;",
      from: "entry.first?.call_id",
      to: "entry.first.call_id",
      because: "whoever had a live call had a first one",
    },
    {
      on: "if (entry.isOpen) {",
      from: "entry.isOpen",
      to: "true",
      because: "it only spares a look at what is known",
    },
    {
      on: "if (isOpen || (isOther && !written.has(first.call_id))) {",
      from: "isOpen || (isOther && !written.has(first.call_id))",
      to: "true",
      because: "the others say already that they are first",
    },
    {
      on: "if (isOpen || (isOther && !written.has(first.call_id))) {",
      from: "isOther && !written.has(first.call_id)",
      to: "isOther || !written.has(first.call_id)",
      because: "the others say already that they are first",
    },
    {
      on: "const entry = caller === null ? undefined : entries.get(caller);",
      from: "caller === null",
      to: "false",
      because: "nobody has no entry either",
    },
    {
      on: "return entry?.isOpen === false && entry.first?.call_id === call_id;",
      from: "entry.first?.call_id",
      to: "entry.first.call_id",
      because: "whoever has an entry that is not open has a first call",
    },
    {
      on: "if (a.call_started === b.call_started) return a.call_id < b.call_id;",
      from: "a.call_id < b.call_id",
      to: "a.call_id <= b.call_id",
      because: "a call at the same time as itself may take its own place",
    },
    {
      on: "return (a.call_started ?? NO_START) < (b.call_started ?? NO_START);",
      from: "(a.call_started ?? NO_START) < (b.call_started ?? NO_START)",
      to: "(a.call_started ?? NO_START) <= (b.call_started ?? NO_START)",
      because: "they are not equal",
    },
  ],
  "src/backup/copy.ts": [
    {
      on: "if (copied.get(table)?.sha256 === sha256) continue;",
      from: "copied.get(table)?.sha256",
      to: "copied.get(table).sha256",
      because: "a copy has the tables of its source",
    },
    {
      on: "const rowsOf = (table: string) => copied.get(table)?.rows ?? 0;",
      from: "copied.get(table)?.rows",
      to: "copied.get(table).rows",
      because: "every warehouse has both tables",
    },
  ],
  "src/warehouse/calls/forgotten-callers.ts": [
    {
      on: "if (callerId === null || caller === null || isPseudonym(caller)) return undefined;",
      from: "callerId === null",
      to: "false",
      because: "then there is no caller either",
    },
    {
      on: "if (address === null || host === null) return null;",
      from: "address === null",
      to: "false",
      because: "then there is no host either",
    },
    {
      on: 'const { protocol = "", host: whole = "" } = URL.parse(address.trim()) ?? {};',
      from: '""',
      to: '"Stryker was here!"',
      because: "neither makes an address of that host",
    },
  ],
  "src/warehouse/calls/gone.ts": [
    {
      on: "if (found > 0) db.update(calls).set({ missing_since: now }).where(newlyMissing).run();",
      from: "found > 0",
      to: "true",
      because: "it only spares a look through all calls for none",
    },
    {
      on: "if (found > 0) db.update(calls).set({ missing_since: now }).where(newlyMissing).run();",
      from: "found > 0",
      to: "found >= 0",
      because: "it only spares a look through all calls for none",
    },
  ],
  "src/warehouse/calls/call-guard.ts": [
    {
      on: "const firstMet = firstRunId === undefined ? undefined : this.#readStart.get(firstRunId);",
      from: "firstRunId === undefined",
      to: "false",
      because: "there is no run without a number",
    },
    {
      on: "return withheld !== null && !toKinds(withheld).every((kind) => kinds.includes(kind));",
      from: "withheld !== null",
      to: "true",
      because: "of no kinds each is included",
    },
  ],
  "src/warehouse/lock.ts": [
    {
      on: 'if (error instanceof SqliteError && error.code.startsWith("SQLITE_BUSY")) return undefined;',
      from: 'error.code.startsWith("SQLITE_BUSY")',
      to: 'error.code.endsWith("SQLITE_BUSY")',
      because: "without a log a database is busy in one way alone",
    },
  ],
  "src/forget/prune.ts": [
    {
      on: "if (mark > cutoff) this.#setMark([kind], cutoff);",
      from: "mark > cutoff",
      to: "mark >= cutoff",
      because: "the same mark is set once more",
    },
    {
      on: "if (this.#options.isDryRun || (!isOther && key === row_key)) continue;",
      from: "!isOther && key === row_key",
      to: "false",
      because: "it only spares writing what is there",
    },
  ],
  "src/backup/restore.ts": [
    {
      on: 'const code = sqliteErrorOf(error)?.code ?? "";',
      from: "sqliteErrorOf(error)?.code",
      to: "sqliteErrorOf(error).code",
      because: "SQLite alone throws there",
    },
    {
      on: 'const code = sqliteErrorOf(error)?.code ?? "";',
      from: '""',
      to: '"Stryker was here!"',
      because: "SQLite alone throws there",
    },
  ],
};
