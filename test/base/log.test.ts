import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskOf } from "../../src/base/log.ts";

describe("maskOf", () => {
  const TOKEN = 'to"k\\en-417';
  const mask = maskOf([TOKEN, undefined, "abc", "https://hc.example.com/ping/17"]);

  it.each([
    ['Bearer to"k\\en-417!', "Bearer [secret]!"],
    [JSON.stringify({ msg: `refused ${TOKEN}` }), '{"msg":"refused [secret]"}'],
    ["GET https://hc.example.com/ping/17/start", "GET [secret]/start"],
    ["called from +15005550006, twice", "called from [phone], twice"],
    ['{"next":"2026-11-20T16:07:00.000+01:00","abc":1}', '{"next":"2026-11-20T16:07:00.000+01:00","abc":1}'],
  ])("removes secrets and phone numbers, and keeps the rest: %s", (line, masked) => {
    expect(mask(line)).toBe(masked);
  });

  it("keeps a line valid JSON without the secret, for any secret", () => {
    // A bearer token's characters (RFC 6750 § 2.1, and those that services use).
    const secret = fc.string({
      unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
      minLength: 12,
    });
    fc.assert(
      fc.property(secret, fc.string(), (token, text) => {
        const line = JSON.stringify({ msg: `${text}${token}${text}` });
        const { msg } = JSON.parse(maskOf([token])(line));
        expect(msg).not.toContain(token);
        expect(msg).toContain("[secret]");
      }),
    );
  });
});

describe("openLog", () => {
  const HOSTILE = "a\u001B[2J\u009B31m\u202Eb\u2028\nFORGED";

  it.each(["json", "plain", "colored"])("escapes control characters, as %s", (style) => {
    const program = `
      const { openLog } = await import(${JSON.stringify(resolve("src/base/log.ts"))});
      const log = await openLog({ level: "info", style: ${JSON.stringify(style)}, secrets: [] });
      log.warn({ problem: ${JSON.stringify(HOSTILE)} }, ${JSON.stringify(HOSTILE)});`;
    const { stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], {
      encoding: "utf8",
    });
    const colors = new RegExp(String.raw`${String.fromCharCode(27)}\[\d+m`, "g");
    const shown = style === "colored" ? stderr.replace(colors, "") : stderr;
    expect(shown).toContain("\\u001b[2J\\u009b31m\\u202eb\\u2028\\nFORGED");
    expect(shown.trimEnd()).not.toMatch(/[\p{Cc}\u202E\u2028]/u);
  });
});
