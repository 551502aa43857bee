/** A change that no test can notice, since nothing it decides differs. */
export interface Equivalent {
  /** The line that it begins in. */
  on: string;
  from: string;
  to: string;
  because: string;
}

export const EQUIVALENT: Readonly<Record<string, readonly Equivalent[]>> = {
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
  "src/attribution/attribute-call.ts": [
    {
      on: "const call_started = call.call_started !== null && isSortable(call.call_started) ? call.call_started : null;",
      from: "call.call_started !== null",
      to: "true",
      because: "null remains null",
    },
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
  "src/attribution/channel-rules.ts": [
    {
      on: 'const [source = "", medium = "", ...campaign] = text.split("\\n");',
      from: '""',
      to: '"Stryker was here!"',
      because: "the text has three lines",
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
    { on: 'return "";', from: '""', to: '"Stryker was here!"', because: "the text is not looked at" },
  ],
  "src/rollup/dimensions.ts": [
    {
      on: "return Object.keys(record).filter(isName);",
      from: "Object.keys(record).filter(isName)",
      to: "Object.keys(record)",
      because: "it only tells the type checker what the names are",
    },
  ],
  "src/rollup/metrics.ts": [
    {
      on: 'metrics({ duration_unit: "seconds" }).map(({ name }) => name),',
      from: '{ duration_unit: "seconds" }',
      to: "{}",
      because: "the names are the same in each unit",
    },
    {
      on: 'metrics({ duration_unit: "seconds" }).map(({ name }) => name),',
      from: '"seconds"',
      to: '""',
      because: "the names are the same in each unit",
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
};
