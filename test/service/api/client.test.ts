import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/service/api/api-errors.ts";
import { fetchAttributionPage } from "../../../src/service/api/attribution-client.ts";
import { ApiClient, type ApiClientOptions } from "../../../src/service/api/client.ts";
import { parseRow } from "../../../src/service/api/parse-row.ts";
import { createRedactor } from "../../../src/service/api/redact-token.ts";
import { MAX_BODY_BYTES } from "../../../src/service/api/response-body.ts";
import { withEnoughTime } from "../../support/enough-time.ts";
import { FakeClock } from "../../support/fake-clock.ts";
import {
  type Answer,
  chunked,
  drip,
  gzip,
  json,
  raw,
  reset,
  stall,
  startServer,
  type TestServer,
  text,
} from "../../support/services/server.ts";

const TOKEN = "secret-token-4711";
/** Represents personal data in a body: must not be in any error. */
const PERSONAL = "+4915112345678";

const QUERY = { limit: 10, offset: 0 };

const row = { call_id: 1, caller_id: PERSONAL };

const envelope = (data: unknown) => ({
  code: 200,
  message: "Success",
  data,
  request_id: "7b0c",
  timestamp: "2026-11-20T15:00:00.000Z",
});

const pageOf = (data: Record<string, unknown>) =>
  envelope({ calls: [row], total: 1, limit: 10, offset: 0, ...data });

const GOOD = pageOf({});
const good = json(GOOD);

const PAGE = {
  rows: [parseRow(row)],
  total: 1,
  limit: 10,
  offset: 0,
  requestId: "7b0c",
  timestamp: "2026-11-20T15:00:00.000Z",
  exchange: expect.objectContaining({ attempt: expect.any(Number), ageSeconds: 0 }),
};

const HTML = `<!doctype html><title>Sign in</title><p>${PERSONAL}</p>`;

function createClient(baseUrl: URL, options: Partial<ApiClientOptions> = {}) {
  return new ApiClient({ baseUrl, token: TOKEN, clock: new FakeClock(), random: () => 0.5, ...options });
}

async function fetchPage(baseUrl: URL, options: Partial<ApiClientOptions> = {}, signal?: AbortSignal) {
  await using client = createClient(baseUrl, options);
  return await fetchAttributionPage(client, QUERY, { signal });
}

/** Returns the ApiError of the promise; checks each time that it has neither token nor body. */
async function errorOf(promise: Promise<unknown>): Promise<ApiError> {
  try {
    await promise;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const everything = inspect(error, { depth: Infinity, showHidden: true });
    expect(everything).not.toContain(TOKEN);
    expect(everything).not.toContain(PERSONAL);
    return error;
  }
  throw new Error("Nothing was thrown");
}

const fetchError = (server: TestServer, options?: Partial<ApiClientOptions>) =>
  errorOf(fetchPage(server.url, options));

/** The result of two attempts with this response, and the number of requests. */
async function outcomeOf(answer: Answer, options: Partial<ApiClientOptions> = {}) {
  await using server = await startServer(answer);
  const error = await fetchError(server, { retry: { attempts: 2 }, ...options });
  const { exitCode, message, status } = error;
  return { exitCode, message, status, requests: server.requests.length };
}

describe("ApiClient: requests", () => {
  it("sends a GET with the bearer token, the query and the encodings it can read", async () => {
    await using server = await startServer(good);
    await using client = createClient(server.url);

    await fetchAttributionPage(client, {
      limit: 1000,
      offset: 2000,
      sort_by: "source_name",
      sort_order: "asc",
      org_unit_id: "7 & 8",
    });
    await fetchAttributionPage(client, { limit: 1, offset: 0, org_unit_id: undefined });

    expect(server.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /v3/conversations/attribution-engine?limit=1000&offset=2000&sort_by=source_name&sort_order=asc&org_unit_id=7%20%26%208",
      "GET /v3/conversations/attribution-engine?limit=1&offset=0",
    ]);
    expect(server.requests[0]?.headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      accept: "application/json",
      "accept-encoding": "gzip",
      host: server.url.host,
    });
  });

  it.each([
    { prefix: "", path: "/v3/conversations/attribution-engine" },
    { prefix: "/", path: "/v3/conversations/attribution-engine" },
    { prefix: "/tenant/a", path: "/tenant/a/v3/conversations/attribution-engine" },
    { prefix: "/tenant/a//", path: "/tenant/a/v3/conversations/attribution-engine" },
  ])("sends requests below the path of the base address: $prefix", async ({ prefix, path }) => {
    await using server = await startServer(good);
    await fetchPage(new URL(server.url.origin + prefix));
    expect(server.requests.map(({ url }) => url)).toEqual([`${path}?limit=10&offset=0`]);
  });
});

describe("ApiClient: responses", () => {
  it.each<{ kind: string; answer: Answer }>([
    { kind: "a plain response", answer: good },
    { kind: "a gzip response", answer: gzip(JSON.stringify(GOOD)) },
    { kind: "a response in chunks", answer: chunked(JSON.stringify(GOOD)) },
    {
      kind: "a close-delimited response",
      answer: raw(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${JSON.stringify(GOOD)}`),
    },
    { kind: "unknown members", answer: json({ ...pageOf({ next: null }), extra: [1] }) },
  ])("reads $kind", async ({ answer }) => {
    await using server = await startServer(answer);
    expect(await fetchPage(server.url)).toEqual(PAGE);
    expect(server.requests).toHaveLength(1);
  });

  it("reads an envelope with no more than code and data", async () => {
    await using server = await startServer(json({ code: 200, data: GOOD.data }));
    expect(await fetchPage(server.url)).toEqual({
      ...PAGE,
      requestId: undefined,
      timestamp: undefined,
    });
  });

  it("reads a content coding in any case (RFC 9110 § 8.4.1)", async () => {
    const body = gzipSync(JSON.stringify(GOOD));
    await using server = await startServer((_request, response) => {
      response.setHeader("content-encoding", "GZIP").end(body);
    });
    expect(await fetchPage(server.url)).toEqual(PAGE);
  });

  it("reads an envelope after a byte order mark, plain and gzip", async () => {
    const marked = `\ufeff${JSON.stringify(GOOD)}`;
    for (const answer of [text(marked), gzip(marked)]) {
      await using server = await startServer(answer);
      expect(await fetchPage(server.url)).toEqual(PAGE);
    }
  });

  it("reads UTF-8 that is split between two writes", async () => {
    const body = Buffer.from(JSON.stringify(pageOf({ calls: [{ call_id: 1, summary: "Zürich ☎" }] })));
    const cut = body.indexOf("ü") + 1;
    await using server = await startServer((_request, response) => {
      response.write(body.subarray(0, cut), () => response.end(body.subarray(cut)));
    });
    const page = await fetchPage(server.url);
    expect(page.rows).toEqual([parseRow({ call_id: 1, summary: "Zürich ☎" })]);
  });

  it("reads a body of exactly MAX_BODY_BYTES, plain and gzip", async () => {
    const body = JSON.stringify(GOOD);
    const padded = body + " ".repeat(MAX_BODY_BYTES - Buffer.byteLength(body));
    await using server = await startServer(text(padded), gzip(padded));
    await using client = createClient(server.url);
    expect(await fetchAttributionPage(client, QUERY)).toEqual(PAGE);
    expect(await fetchAttributionPage(client, QUERY)).toEqual(PAGE);
    expect(server.requests).toHaveLength(2);
  });

  it("reads an empty list in place of the data of an account without calls, as PHP writes it", async () => {
    await using server = await startServer(json(envelope([])));
    expect(await fetchPage(server.url)).toEqual({ ...PAGE, rows: [], total: 0 });
  });

  it("reads a row that cannot be parsed as rejected, and the others as calls", async () => {
    const rows = [{ call_id: 1 }, { call_id: "two" }, null, { call_id: 3 }];
    await using server = await startServer(json(pageOf({ calls: rows, total: 4 })));
    const page = await fetchPage(server.url);
    expect(page.rows).toEqual(rows.map(parseRow));
    expect(page.rows.map((parsed) => "rejected" in parsed)).toEqual([false, true, true, false]);
  });
});

describe("ApiClient: exit 5 (unreachable) after retries", () => {
  it.each([408, 425, 429, 500, 502, 503, 504, 599])("exits with 5 after status %i", async (status) => {
    const said = status < 500 ? ": Try later (request r-9)" : " (request r-9, 42 bytes)";
    expect(await outcomeOf(json({ request_id: "r-9", message: "Try later" }, status))).toEqual({
      exitCode: 5,
      message: `The API returned ${status}${said}`,
      status,
      requests: 2,
    });
  });

  it("exits with 5 after a 503 whose body cannot be read: cut gzip, not UTF-8, too large, unknown encoding", async () => {
    const retryAfter = { "retry-after": "7" };
    for (const answer of [
      text("no gzip", 503, { ...retryAfter, "content-encoding": "gzip" }),
      text("no brotli", 503, { ...retryAfter, "content-encoding": "br" }),
      text(Buffer.from("Nicht verf\xFCgbar", "latin1"), 503, retryAfter),
      text(Buffer.alloc(MAX_BODY_BYTES + 1), 503, retryAfter),
    ]) {
      const clock = new FakeClock();
      expect(await outcomeOf(answer, { clock })).toMatchObject({ exitCode: 5, status: 503, requests: 2 });
      expect(clock.sleeps).toEqual([7000]);
    }
  });

  it("exits with 5 after a connection reset", async () => {
    expect(await outcomeOf(reset)).toMatchObject({
      exitCode: 5,
      message: expect.stringMatching(/^Cannot reach http:\/\/127\.0\.0\.1:\d+: .*(ECONNRESET|closed)/),
      status: undefined,
      requests: 2,
    });
  });

  const body = JSON.stringify(GOOD);
  const chunk = `${body.length.toString(16)}\r\n${body}\r\n`;
  it.each([
    ["shorter than its content-length", `content-length: ${body.length}\r\n\r\n${body.slice(0, -1)}`],
    ["of chunks without the last one", `transfer-encoding: chunked\r\n\r\n${chunk}`],
    [
      "with two lengths",
      `content-length: ${body.length}\r\ntransfer-encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`,
    ],
  ])("exits with 5 after a body %s", async (_, rest) => {
    const answer = raw(`HTTP/1.1 200 OK\r\n${rest}`);
    expect(await outcomeOf(answer)).toMatchObject({ exitCode: 5, requests: 2 });
  });

  it("exits with 5 after a response that is not HTTP", async () => {
    expect(await outcomeOf(raw(`SSH-2.0 ${PERSONAL}\r\n`))).toMatchObject({ exitCode: 5, requests: 2 });
  });

  it("exits with 5 if no headers arrive within attemptTimeoutMs", async () => {
    expect(await outcomeOf(stall, { attemptTimeoutMs: 800 })).toMatchObject({
      exitCode: 5,
      message: expect.stringMatching(/: no complete response within 0\.8 s$/),
      requests: 2,
    });
  });

  it("exits with 5 if a body drips in for longer than attemptTimeoutMs", async () => {
    expect(await outcomeOf(drip(JSON.stringify(GOOD), 100), { attemptTimeoutMs: 800 })).toMatchObject({
      exitCode: 5,
      message: expect.stringMatching(/: no complete response within 0\.8 s$/),
      requests: 2,
    });
  });

  it("exits with 5 if nothing listens at the port", async () => {
    const server = await startServer(good);
    await server[Symbol.asyncDispose]();
    const retried: number[] = [];
    const error = await fetchError(server, {
      retry: { attempts: 3 },
      onRetry: (_error, delayMs) => retried.push(delayMs),
    });
    expect(error).toMatchObject({
      exitCode: 5,
      message: expect.stringContaining(`Cannot reach ${server.url.origin}: connect ECONNREFUSED`),
    });
    expect(error.hint).toContain("CALLTALLY_BASE_URL");
    expect(retried).toEqual([250, 500]);
  });
});

describe("ApiClient: exit 8 (breach of contract) after retries", () => {
  it.each<[what: string, answer: Answer, says: string]>([
    ["HTML", text(HTML, 200, { "content-type": "text/html" }), "not JSON"],
    ["an empty body", text(""), "not JSON"],
    ["status 204", (_, response) => response.writeHead(204).end(), "returned 204"],
    ["status 202", json(GOOD, 202), "returned 202"],
    [
      "a truncated close-delimited body",
      raw(`HTTP/1.1 200 OK\r\nconnection: close\r\n\r\n${JSON.stringify(GOOD).slice(0, -1)}`),
      "not JSON",
    ],
    ["a truncated gzip stream", gzip(JSON.stringify(GOOD), 0.7), "truncated gzip"],
    ["a gzip stream that lacks only its checksum", gzip(JSON.stringify(GOOD), 0.99), "truncated gzip"],
    ["an encoding that was not requested", text(HTML, 200, { "content-encoding": "br" }), "encoded as br"],
    [
      "text in another encoding than UTF-8",
      text(Buffer.from('{"code":200,"message":"Zürich"}', "latin1")),
      "not UTF-8",
    ],
    ["null", text("null"), "envelope"],
    ["an array", json([GOOD]), "envelope"],
    ["text", json(PERSONAL), "envelope"],
    ["another code of success", json({ ...GOOD, code: 201 }), "envelope: code: "],
    ["data null", json(envelope(null)), "envelope: data: "],
    ["data that is an array", json(envelope([row])), "envelope: data: "],
    ["no calls", json(pageOf({ calls: undefined })), "calls: "],
    ["calls null", json(pageOf({ calls: null })), "calls: "],
    ["calls that are an object", json(pageOf({ calls: { 0: row } })), "calls: "],
    ["no total", json(pageOf({ total: undefined })), "total: "],
    ["a total that is text", json(pageOf({ total: PERSONAL })), "total: "],
    ["a negative total", json(pageOf({ total: -1 })), "total: "],
    ["a broken total", json(pageOf({ total: 1.5 })), "total: "],
    [
      "a total beyond 2^53",
      text(JSON.stringify(GOOD).replace('"total":1', '"total":9007199254740993')),
      "total: ",
    ],
    ["an offset that is text", json(pageOf({ offset: "0" })), "offset: "],
    ["no limit", json(pageOf({ limit: undefined })), "limit: "],
  ])("exits with 8 after %s", async (_, answer, says) => {
    expect(await outcomeOf(answer)).toMatchObject({
      exitCode: 8,
      message: expect.stringContaining(says),
      requests: 2,
    });
  });

  it.each([
    [{ calls: {} }, "calls: Invalid input: expected array, received object"],
    [{ calls: null }, "calls: Invalid input: expected array, received null"],
    [{ total: "1" }, "total: Invalid input: expected number, received string"],
  ])("names the wrong member of a page and its type, and whom to ask: %o", async (members, problem) => {
    await using server = await startServer(json(pageOf(members)));
    expect(await fetchError(server, { retry: { attempts: 1 } })).toMatchObject({
      message: `The API's attribution data is not as documented: ${problem}`,
      hint: "Try again later; if it stays so, report it to the service's support.",
    });
  });
});

describe("ApiClient: code of the envelope", () => {
  const failing = (code: number, message: string) => json({ code, message, data: null, request_id: "r-7" });

  it.each([
    [429, "Too many requests, retry in 30 seconds", 5, 2],
    [503, "Maintenance", 5, 2],
    [401, "Token expired", 4, 1],
    [400, "limit is too large", 8, 1],
  ])("counts as status %i, with the message %j quoted", async (status, said, exitCode, requests) => {
    const outcome = status === 401 ? "refused the token, status 401" : `returned ${status}`;
    const message = `The API ${outcome}: ${said} (request r-7)`;
    expect(await outcomeOf(failing(status, said))).toEqual({ exitCode, status, message, requests });
  });

  it("counts as the status, with the pause of the Retry-After header", async () => {
    const busy = json({ code: 429, message: "Busy", data: null }, 200, { "retry-after": "7" });
    await using server = await startServer(busy);
    expect(await fetchError(server, { retry: { attempts: 1 } })).toMatchObject({ retryAfterMs: 7000 });
  });
});

describe("ApiClient: retries", () => {
  it.each(["API rate limit exceeded", "Too many requests", "rate_limited", "Request was throttled."])(
    "retries a 403 with the message %j like a 429",
    async (message) => {
      const { exitCode, status, requests } = await outcomeOf(json({ message }, 403));
      expect({ exitCode, status, requests }).toEqual({ exitCode: 5, status: 429, requests: 2 });
    },
  );
});

describe("ApiClient: errors without retry", () => {
  it.each([
    { status: 401, refused: "the token", hint: "." },
    {
      status: 403,
      refused: "access",
      hint: ", or lack permission for this operation or organization unit (CALLTALLY_ORG_UNIT_ID).",
    },
  ])("exits with 4 after status $status, with request id and message", async ({ status, refused, hint }) => {
    await using server = await startServer(json({ message: "Token expired", request_id: "r-7" }, status));
    const error = await fetchError(server);
    expect(error).toMatchObject({
      exitCode: 4,
      message: `The API refused ${refused}, status ${status}: Token expired (request r-7)`,
      status,
      requestId: "r-7",
    });
    expect(error.hint).toBe(`Check the token: it may be mistyped, expired, or of API v2${hint}`);
    expect(server.requests).toHaveLength(1);
  });

  it.each<{ kind: string; answer: Answer; length?: number }>([
    { kind: "HTML", answer: text(HTML, 401), length: HTML.length },
    { kind: "nothing", answer: text("", 401), length: 0 },
    { kind: "a broken gzip stream", answer: text(HTML, 401, { "content-encoding": "gzip" }) },
    { kind: "text that is not UTF-8", answer: text(Buffer.from([0xff, 0xfe]), 401) },
    ...[{ message: { to: PERSONAL }, request_id: 5 }, { message: PERSONAL }, [PERSONAL]].map((body) => ({
      kind: JSON.stringify(body),
      answer: json(body, 401),
      length: JSON.stringify(body).length,
    })),
  ])("exits with 4 after status 401 with $kind as the body", async ({ answer, length }) => {
    const described = length === undefined ? "" : ` (${length} bytes)`;
    expect(await outcomeOf(answer)).toEqual({
      exitCode: 4,
      message: `The API refused the token, status 401${described}`,
      status: 401,
      requests: 1,
    });
  });

  it("exits with 4 after a 401 with the token as its request id, and cuts the token out", async () => {
    expect(await outcomeOf(json({ request_id: `r-${TOKEN}` }, 401))).toEqual({
      exitCode: 4,
      message: "The API refused the token, status 401 (request r-[token], 26 bytes)",
      status: 401,
      requests: 1,
    });
  });

  it.each([
    { token: "k7Q", quotes: ": No such token: [token], x[token]x (request r-[token])" },
    { token: "7654321", quotes: ": No such token: [token], x[token]x (request r-[token])" },
    // The name `message` contains this letter, so the message cannot be read.
    { token: "a", quotes: " (request r-[token], 95 bytes)" },
  ])("cuts the short token $token out of a quoted refusal", async ({ token, quotes }) => {
    const message = `No such token: ${token}, x${token}x`;
    for (const status of [401, 200]) {
      const refusal = json({ code: 401, message, request_id: `r-${token}` }, status);
      const { message: said } = await outcomeOf(refusal, { token });
      expect(said).toBe(`The API refused the token, status 401${quotes}`);
    }
  });

  it.each([400, 404])("exits with 8 after status %i", async (status) => {
    expect(await outcomeOf(json({ message: "Bad limit", request_id: "r-8" }, status))).toEqual({
      exitCode: 8,
      message: `The API returned ${status}: Bad limit (request r-8)`,
      status,
      requests: 1,
    });
  });

  it("truncates a long message of several lines and makes it printable: status 400, exit 8", async () => {
    const message = `limit\n out of\u202e range ${"x".repeat(1000)}`;
    const outcome = await outcomeOf(json({ message }, 400));
    expect(outcome.message).toBe(
      `The API returned 400: limit out of\\u202e range ${"x".repeat(500 - "limit\n out of\u202e range ".length)}`,
    );
  });

  it.each([405, 410, 418])("exits with 8 after an undocumented %i and quotes nothing", async (status) => {
    expect(await outcomeOf(json({ message: PERSONAL }, status))).toMatchObject({
      exitCode: 8,
      message: `The API returned ${status}, which its documentation does not list (${JSON.stringify({ message: PERSONAL }).length} bytes)`,
      requests: 1,
    });
  });

  it.each([301, 302, 303, 307, 308])("does not follow a redirect %i: exit 8", async (status) => {
    await using elsewhere = await startServer(good);
    const outcome = await outcomeOf(text(HTML, status, { location: elsewhere.url.href }));
    expect(outcome).toMatchObject({ exitCode: 8, status, requests: 1 });
    expect(elsewhere.requests).toEqual([]);
  });

  it("exits with 8 after a gzip bomb", async () => {
    const answer = gzip(Buffer.alloc(MAX_BODY_BYTES + 1, " "));
    expect(await outcomeOf(answer)).toMatchObject({
      exitCode: 8,
      message: "The API response is larger than 32 MiB",
      requests: 1,
    });
  });

  it("exits with 8 after a body larger than MAX_BODY_BYTES on the wire, with and without a length", async () => {
    const body = Buffer.alloc(MAX_BODY_BYTES + 1, " ");
    for (const answer of [text(body), chunked(body)]) {
      expect(await outcomeOf(answer)).toMatchObject({
        exitCode: 8,
        message: "The API response is larger than 32 MiB",
        requests: 1,
      });
    }
  });

  it("throws the abort's reason if aborted while waiting for a response", async () => {
    const controller = new AbortController();
    const reason = new Error("stopped");
    await using server = await startServer(() => controller.abort(reason));
    await expect(fetchPage(server.url, {}, controller.signal)).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it("throws the abort's reason if aborted in the middle of a body, whatever its status", async () => {
    for (const status of [200, 503]) {
      const controller = new AbortController();
      const reason = new Error("stopped");
      await using server = await startServer((_request, response) => {
        response.writeHead(status).write("{", () => controller.abort(reason));
      });
      await expect(fetchPage(server.url, {}, controller.signal)).rejects.toBe(reason);
      expect(server.requests).toHaveLength(1);
    }
  });

  it("sends nothing if aborted before the call", async () => {
    const reason = new Error("stopped");
    await using server = await startServer(good);
    await expect(fetchPage(server.url, {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });
});

describe("ApiClient.get", () => {
  it("recovers after any mix of failures and reports each of them", async () => {
    await using server = await startServer(
      json({}, 500),
      reset,
      text(HTML),
      gzip(JSON.stringify(GOOD), 0.5),
      json(pageOf({ total: "1" })),
      good,
    );
    const clock = new FakeClock();
    const codes: number[] = [];
    const page = await fetchPage(server.url, { clock, onRetry: ({ exitCode }) => codes.push(exitCode) });

    expect(page).toEqual(PAGE);
    expect(codes).toEqual([5, 5, 8, 8, 8]);
    expect(clock.sleeps).toEqual([250, 500, 1000, 2000, 4000]);
    expect(server.requests).toHaveLength(6);
  });

  it("recovers when the first attempt stalls", async () => {
    const page = await withEnoughTime(500, async (attemptTimeoutMs) => {
      await using server = await startServer(stall, good);
      const page = await fetchPage(server.url, { attemptTimeoutMs });
      return server.requests.length === 2 ? page : undefined;
    });
    expect(page).toEqual(PAGE);
  });

  it("makes as many attempts as the request specifies, overriding the client's policy", async () => {
    await using server = await startServer(json({}, 500));
    await using client = createClient(server.url, { retry: { attempts: 3 } });
    for (const { options, attempts } of [
      { options: { attempts: 1 }, attempts: 1 },
      { options: { attempts: 5 }, attempts: 5 },
      { options: {}, attempts: 3 },
    ]) {
      const before = server.requests.length;
      await errorOf(fetchAttributionPage(client, QUERY, options));
      expect(server.requests.length - before).toBe(attempts);
    }
  });

  it("holds its host's turn while it attempts, and not during the pauses between", async () => {
    await using server = await startServer(json({}, 503), json({}, 503), good);
    const clock = new FakeClock();
    const [turns, held]: [number[], number[]] = [[], []];
    let taken = 0;
    const limitRequest = async <T>(attempt: () => Promise<T>) => {
      turns.push(++taken);
      try {
        return await attempt();
      } finally {
        taken--;
      }
    };
    clock.onSleep = () => held.push(taken);
    await using busy = createClient(server.url, { clock, limitRequest });
    expect(await fetchAttributionPage(busy, QUERY)).toEqual(PAGE);
    expect({ turns, held }).toEqual({ turns: [1, 1, 1], held: [0, 0] });
  });

  it("gives up after six failures by default", async () => {
    await using server = await startServer(json({}, 500));
    expect(await fetchError(server)).toMatchObject({ exitCode: 5, status: 500 });
    expect(server.requests).toHaveLength(6);
  });
});

describe("ApiClient and a malicious service", () => {
  const TOKEN_417 = "t/0+ken-of-417=";

  it("does not mistake a second response in one for the response to the next request", async () => {
    const responseOf = (body: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
    const smuggled = responseOf(JSON.stringify(pageOf({ total: 417 })));
    const both: Answer = (_request, { socket }) => socket?.write(responseOf(JSON.stringify(GOOD)) + smuggled);
    await using server = await startServer(both, good);
    await using client = createClient(server.url, { connections: 1 });
    await fetchAttributionPage(client, QUERY).catch(() => undefined);
    expect(await fetchAttributionPage(client, QUERY)).toEqual(PAGE);
  });

  it.each([
    ["in plain text", TOKEN_417],
    ["escaped", JSON.stringify(TOKEN_417).slice(1, -1).replaceAll("/", "\\/").replaceAll("+", "\\u002B")],
    ["percent-encoded", encodeURIComponent(TOKEN_417)],
    ["with each letter escaped", [...TOKEN_417].map((letter) => `\\u00${hexOf(letter)}`).join("")],
    ["with each letter percent-encoded", [...TOKEN_417].map((letter) => `%${hexOf(letter)}`).join("")],
    ["percent-encoded in lower case", encodeURIComponent(TOKEN_417).toLowerCase()],
    ...["", "B", "Bearer "].map((before): [string, string] => [
      `in base64 after ${before.length} bytes`,
      Buffer.from(before + TOKEN_417).toString("base64"),
    ]),
    ["in base64 for URLs", Buffer.from(`user:${TOKEN_417}`).toString("base64url")],
  ])("keeps the token %s out of parsed data, and everything else byte for byte", (_form, echoed) => {
    const body = `{"code":200,"data":{"a ${echoed}":"b ${echoed}","c":1.50,"d":"\\u00e9"},"request_id":"${echoed}"}`;
    expect(createRedactor(TOKEN_417)(Buffer.from(body)).toString()).toMatch(
      /^\{"code":200,"data":\{"a .{0,10}\[token\].{0,4}":"b .{0,10}\[token\].{0,4}","c":1\.50,"d":"\\u00e9"\},"request_id":".{0,10}\[token\].{0,4}"\}$/,
    );
  });
});

function hexOf(letter: string): string {
  return letter.charCodeAt(0).toString(16);
}
