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
  "src/privacy/pseudonym.ts": [
    {
      on: "return caller !== null && PSEUDONYM.test(caller);",
      from: "caller !== null",
      to: "true",
      because: '"null" is no pseudonym',
    },
  ],
  "src/privacy/withhold.ts": [
    {
      on: "if (kinds.length === 0) return { call, withheld: [] };",
      from: "kinds.length === 0",
      to: "false",
      because: "it only spares a look",
    },
    {
      on: "texts: MEMBERS[kind].flatMap((member) => read(member) ?? []),",
      from: "[]",
      to: '["Stryker was here"]',
      because: "no call says that",
    },
    {
      on: 'const number = values.find(({ kind }) => kind === "caller_numbers")?.texts[0]?.replace(/\\D/g, "") ?? "";',
      from: '""',
      to: '"Stryker was here!"',
      because: "letters are among no digits",
    },
    {
      on: 'if (tail.length === TAIL_DIGITS && text.replace(/\\D/g, "").includes(tail)) return "caller_numbers";',
      from: '"caller_numbers"',
      to: '""',
      because: "the number itself is found as well",
    },
  ],
  "src/warehouse/forgotten.ts": [
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
  "src/warehouse/keeping.ts": [
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
  "src/schedule/allowed-host.ts": [
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
  "src/schedule/health.ts": [
    {
      on: "healths.flatMap(([name, health]) => (name === undefined ? [] : [[name, health] as const])),",
      from: "name === undefined",
      to: "false",
      because: "the account without a name stands by itself",
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
  "src/warehouse/prune.ts": [
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
      on: "if (changedMs !== undefined && skipped < changedMs + offset) slot = Math.min(slot, skipped - earlier);",
      from: "changedMs !== undefined",
      to: "true",
      because: "nothing is less than what is no number",
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
  "src/schedule/zone-offsets.ts": [
    {
      on: 'if (timezone === "UTC") return () => 0;',
      from: 'timezone === "UTC"',
      to: "false",
      because: "it only spares a format",
    },
    {
      on: 'if (timezone === "UTC") return () => 0;',
      from: '"UTC"',
      to: '""',
      because: "it only spares a format",
    },
    {
      on: 'const name = format.formatToParts(instantMs).find(({ type }) => type === "timeZoneName")?.value ?? "";',
      from: 'format.formatToParts(instantMs).find(({ type }) => type === "timeZoneName")?.value',
      to: 'format.formatToParts(instantMs).find(({ type }) => type === "timeZoneName").value',
      because: "the format has such a part",
    },
    {
      on: 'const name = format.formatToParts(instantMs).find(({ type }) => type === "timeZoneName")?.value ?? "";',
      from: '""',
      to: '"Stryker was here!"',
      because: "the format has such a part",
    },
    {
      on: 'const [, sign, hours, minutes, seconds = "0"] = /([+-])(\\d\\d):(\\d\\d)(?::(\\d\\d))?$/.exec(name) ?? [];',
      from: '"0"',
      to: '""',
      because: "either is the number 0",
    },
    {
      on: 'const [, sign, hours, minutes, seconds = "0"] = /([+-])(\\d\\d):(\\d\\d)(?::(\\d\\d))?$/.exec(name) ?? [];',
      from: "/([+-])(\\d\\d):(\\d\\d)(?::(\\d\\d))?$/",
      to: "/([+-])(\\d\\d):(\\d\\d)(?::(\\d\\d))?/",
      because: "nothing follows in such a name",
    },
    {
      on: 'const [, sign, hours, minutes, seconds = "0"] = /([+-])(\\d\\d):(\\d\\d)(?::(\\d\\d))?$/.exec(name) ?? [];',
      from: "[]",
      to: '["Stryker was here"]',
      because: "the first of them is not looked at",
    },
  ],
};
