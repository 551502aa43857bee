import { readdirSync, readFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import { join } from "node:path";
import { expect, it } from "vitest";
import { hasCommand } from "../../support/commands.ts";
import { settingsFor } from "../../support/run.ts";
import { type Answer, startServer, text } from "../../support/services/server.ts";
import { makeFolder } from "../folder.ts";

const TOKEN = "hostile+token/417=";

/** Terminal controls, bidirectional and invisible characters; and a line that looks like one of the program's. */
const CONTROLS =
  "\u001B[2J\u0007\b\r\u007F\u0085\u009B31m\u202E\u2066\u200E\u061C\u2028\u2029\u200B\uFEFF\u{E0041}\0\nFORGED line\n";
/** `\n` ends a line; other invisible or control characters must not occur. */
const UNPRINTABLE = /(?!\n)[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\uFEFF\u{E0000}-\u{E007F}]/u;

const CALL_TEXTS = ["insight_name", "caller_id", "tracking_number", "disposition", "org_unit_name"];
const MORE_TEXTS = ["recording_url", "summary", "transcription"];
const DNI = ["utm_source", "utm_medium", "utm_campaign", "utm_content", "utm_term", "gclid", "gclsrc"];
const MORE_DNI = ["google_analytics_cid", "referring_url", "campaign_name", "campaign_id"];
const INSIGHT_TEXTS = ["insight_name", "insight_type", "insight_help", "insight_status", "deleted_at"];

const fill = (names: readonly string[], hostile: string) =>
  Object.fromEntries(names.map((name) => [name, `${name} ${hostile}`]));

function calls(hostile: string) {
  const call = (call_id: number) => ({
    call_id,
    call_started: `2026-10-${String(29 - call_id).padStart(2, "0")}T00:00:00.000Z`,
    duration: 60,
    ...fill([...CALL_TEXTS, ...MORE_TEXTS], hostile),
    dni_data: { ...fill([...DNI, ...MORE_DNI], hostile), [`unknown ${hostile}`]: hostile },
    transcription_details: [{ channel: hostile, time: hostile, text: hostile, [hostile]: hostile }],
    [`member ${hostile}`]: { [hostile]: [hostile] },
  });
  const rejected = { ...call(6), duration: hostile };
  const nameless = { ...call(7), call_id: hostile, call_started: hostile };
  return [call(1), call(2), call(3), call(4), call(5), rejected, nameless, hostile];
}

/** Bytes that a header can hold: only C1 of the controls. */
const HEADER_UNFIT = /[^\x20-\x7E\x80-\xFF]/gu;

/** Puts a text into every member and header of every response, whatever its status. */
function respond(hostile: string): Answer {
  const requests = { count: 0 };
  const header = hostile.replace(HEADER_UNFIT, "");
  const headers: OutgoingHttpHeaders = {
    "x-request-id": header,
    "retry-after": header,
    age: header,
    location: `https://elsewhere.example.com/?${encodeURIComponent(hostile)}`,
  };
  return (request, response) => {
    const path = request.url;
    requests.count++;
    const envelope = {
      message: hostile,
      request_id: `request ${requests.count} ${hostile}`,
      timestamp: hostile,
    };
    const send = (data: unknown, status = 200) =>
      text(
        JSON.stringify({ ...envelope, code: status, data, [hostile]: hostile }),
        status,
        headers,
      )(request, response);
    if (path.includes("/insights/404")) return send(undefined, 404);
    if (path.includes("/webhooks/400")) return send(undefined, 400);
    if (path.includes("/webhooks/500")) return send(undefined, 500);
    if (path.includes("/webhooks/")) return send({ webhookId: 44, [hostile]: hostile });
    if (path.includes("/insights/")) {
      return send({
        insight_id: 101,
        ...fill(INSIGHT_TEXTS, `${requests.count} ${hostile}`),
        llm_config: { criteria: [{ [hostile]: hostile }] },
        [`unknown ${hostile}`]: hostile,
        group_list: [{ id: 1, [hostile]: hostile }],
      });
    }
    const offset = Number(new URL(path, "http://localhost").searchParams.get("offset"));
    const rows = calls(hostile);
    return send({ calls: rows.slice(offset), total: rows.length, limit: 1000, offset, [hostile]: hostile });
  };
}

/** A URL with secrets of its own. */
const ENDPOINT = "https://me:pass-417@example.com/?api_key=key-417";

/** Every command that shows texts of the service, or runs next to them. */
const COMMANDS = [
  "doctor",
  "doctor --json",
  "sync",
  "sync --full --json",
  "job sync",
  "job insights",
  "job export",
  "status",
  "status --runs 5",
  "status --json",
  "explain 1",
  "explain 1 --json",
  "insight show 101",
  "insight show 101 --json",
  "insight show 404",
  "insight sync 101",
  "insight sync 101",
  "insight sync 101 --json",
  "webhook patch 44 --status inactive",
  "webhook patch 44 --status active --json",
  `webhook patch 400 --description ${TOKEN} --endpoint ${ENDPOINT}`,
  "webhook patch 500 --status inactive",
  ...["attributed_calls", "rejected_calls", "sync_runs", "schema_drift"].map((table) => [
    "query",
    `SELECT * FROM ${table}`,
  ]),
  "export",
  "export utm_source --json",
  "schedule --list",
  "backup copy.db",
  "export calls --stdout --source \u001B[2J\u202E",
].flatMap((words) => {
  const [line = "", ...more] = [words].flat();
  return hasCommand(line) ? [[line, ...more]] : [];
});

const BEARER = Buffer.from(`Bearer ${TOKEN}`).toString("base64");
const ECHOED = [TOKEN, encodeURIComponent(TOKEN), BEARER].join(" ");
/** The token in every encoding. Some characters at the ends of base64 also depend on what is around it. */
const SECRETS = [TOKEN, TOKEN.replaceAll("/", "\\/"), encodeURIComponent(TOKEN), BEARER.slice(10, -4)];
it("a service cannot make commands write control characters or lines to a terminal or log, nor the token anywhere", async () => {
  await using service = await startServer(respond(`${CONTROLS} ${ECHOED}`));
  const env = {
    ...settingsFor({ url: service.url.origin, token: TOKEN }),
    CALLTALLY_RETRY_SECONDS: "0",
    CALLTALLY_INSIGHT_IDS: "101,404",
    CALLTALLY_LOG_LEVEL: "trace",
  };
  using folder = makeFolder(env);
  const written: string[] = [];
  for (const args of COMMANDS) {
    const { stdout, stderr } = await folder.run(...args);
    const shown = args.join().includes("--stdout") ? stderr : stdout + stderr;
    expect(UNPRINTABLE.exec(shown)?.[0].codePointAt(0)?.toString(16), args.join(" ")).toBeUndefined();
    expect(shown, args.join(" ")).not.toMatch(/^FORGED/m);
    for (const secret of SECRETS) expect(stdout + stderr, args.join(" ")).not.toContain(secret);
    written.push(stdout, stderr);
  }
  for (const shown of ["\\u202e", "\\u001b[2J", "\\udb40\\udc41", "[token]"])
    expect(written.join("")).toContain(shown);

  // Data is unchanged: JSON has the same text, and a pipe gets the served bytes.
  if (hasCommand("insight")) {
    const insight = await folder.run("insight show 101 --json");
    expect(JSON.parse(insight.stdout).insight_help).toContain(CONTROLS);
  }
  const explained = await folder.run("explain 1 --json");
  expect(JSON.parse(explained.stdout).dni.utm_source).toContain(CONTROLS);
  const sql = "SELECT summary FROM attributed_calls WHERE call_id = 1";
  expect((await folder.run("query --format csv", sql)).stdout).toContain(CONTROLS);

  const files = readdirSync(folder.path, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  expect(files.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["calltally.db", "copy.db", "manifest.json", "utm_source.csv"]),
  );
  for (const { parentPath, name } of files) {
    const content = readFileSync(join(parentPath, name), "latin1");
    for (const secret of [...SECRETS, "pass-417", "key-417"])
      expect(content.includes(secret), name).toBe(false);
  }
});
