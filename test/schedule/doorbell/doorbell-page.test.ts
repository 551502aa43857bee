import { once } from "node:events";
import { Agent, type IncomingMessage, type RequestOptions, request } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { DoorbellPage } from "../../../src/schedule/doorbell/doorbell-page.ts";
import { startMonitor } from "../../../src/schedule/monitor.ts";
import { keepLines } from "../../support/log-lines.ts";
import { StoppedClock } from "../stopped-clock.ts";

const SECRET = "a-secret-of-the-doorbell";
const LOCAL = { host: "127.0.0.1", port: 0 };
const LISTED = { static_parameters: [{ field_name: "calltally_secret", field_value: SECRET }] };

/** A monitor with doors for `acme` and `beta`, and the rings it received. */
async function startDoorbell(requestMs?: number) {
  const rung: string[] = [];
  const { log, lines } = keepLines();
  const clock = new StoppedClock("2026-11-20T03:00:00Z");
  const doors = new Map(["acme", "beta"].map((name) => [`/doorbell/${name}`, () => void rung.push(name)]));
  const page = new DoorbellPage({ secret: SECRET, doors, log, clock });
  const pages = {
    health: () => ({ status: "ok" }) as const,
    metrics: () => "",
    doorbell: (asked: IncomingMessage) => page.answer(asked),
  };
  const monitor = await startMonitor(LOCAL, pages, requestMs);
  const post = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const init = { method: "POST", headers, body: typeof body === "string" ? body : JSON.stringify(body) };
    return await answerOf(await fetch(`${monitor.url}${path}`, init));
  };
  return { ...monitor, page, rung, lines, clock, post };
}

/** The statuses that have been returned, with their number. */
function refusalsOf({ refused }: DoorbellPage) {
  return Object.fromEntries([...refused].filter(([, count]) => count > 0));
}

async function answerOf(response: Response) {
  const { date: _date, ...headers } = Object.fromEntries(response.headers);
  return { status: response.status, headers, text: await response.text() };
}

/** Sends the given part and never more; returns the status. */
async function sendSlowly(url: string, options: RequestOptions, body: string): Promise<number | undefined> {
  const sent = request(url, { method: "POST", agent: new Agent(), ...options });
  sent.write(body);
  const [response] = await once(sent, "response");
  await text(response);
  sent.destroy();
  return response.statusCode;
}

describe("DoorbellPage", () => {
  it.each([
    { title: "the list of static parameters", body: LISTED },
    {
      title: "a list with others",
      body: {
        event: "x",
        static_parameters: [null, 7, { field_name: "team", field_value: "a" }, ...LISTED.static_parameters],
      },
    },
    { title: "static parameters as an object", body: { static_parameters: { calltally_secret: SECRET } } },
    { title: "a member of the body", body: { call_id: 1, calltally_secret: SECRET } },
    { title: "a list with another authorization", body: LISTED, headers: { authorization: "Basic eDp5" } },
  ])("accepts the secret in $title", async ({ body, headers }) => {
    await using doorbell = await startDoorbell();
    expect((await doorbell.post("/doorbell/acme", body, headers)).status).toBe(202);
    expect((await doorbell.post("/doorbell/beta?x=1", body, headers)).status).toBe(202);
    expect(doorbell.rung).toEqual(["acme", "beta"]);
  });

  it("responds to every request without the secret with the same 401, and logs nothing", async () => {
    await using doorbell = await startDoorbell();
    const wrong = `${SECRET}-canary`;
    const bodies = [
      "",
      "{",
      "[".repeat(400_000),
      "null",
      "[]",
      ...[wrong, [SECRET], SECRET.slice(0, -1)].map((calltally_secret) => ({ calltally_secret })),
      { static_parameters: [{ field_name: "calltally_secret", field_value: "" }] },
      { static_parameters: [{ field_name: "other", field_value: SECRET }] },
    ];
    const paths = ["/doorbell/acme", "/doorbell/nobody-canary", "/doorbell", "/doorbell/"];
    const answers = [
      ...(await Promise.all(paths.flatMap((path) => bodies.map((body) => doorbell.post(path, body))))),
      ...(await Promise.all(
        paths.map((path) => doorbell.post(path, LISTED, { authorization: `Bearer ${wrong}` })),
      )),
    ];
    const [first] = answers;
    expect(first?.status).toBe(401);
    for (const answer of answers) expect(answer).toEqual(first);
    expect(doorbell.rung).toEqual([]);
    expect(refusalsOf(doorbell.page)).toEqual({ 401: answers.length });
    expect(JSON.stringify(doorbell.lines)).not.toMatch(/canary|nobody|acme|secret-of/);
    // A line every minute with the total number.
    expect(doorbell.lines).toHaveLength(1);
    doorbell.clock.jump(60_000);
    await doorbell.post("/doorbell", "");
    expect(doorbell.lines.map(({ refused }) => refused)).toEqual([1, answers.length + 1]);
  });

  it("reports an unknown account only to a request with the secret", async () => {
    await using doorbell = await startDoorbell();
    for (const path of ["", "/", "/nobody", "/acme/", "/ACME", "/__proto__"])
      expect((await doorbell.post(`/doorbell${path}`, LISTED)).status).toBe(404);
    expect(doorbell.rung).toEqual([]);
  });

  it("states the effect or the error in plain words", async () => {
    await using doorbell = await startDoorbell();
    expect([...doorbell.page.refused.values()]).toEqual([0, 0, 0, 0, 0, 0]);
    const answers = [
      await doorbell.post("/doorbell/acme", LISTED),
      await doorbell.post("/doorbell/acme", {}),
      await doorbell.post("/doorbell/nobody", LISTED),
      await doorbell.post("/doorbell/acme", { ...LISTED, transcription: "x".repeat(1_000_000) }),
    ];
    const missing = { text: "The secret is missing or wrong.\n", headers: { "www-authenticate": "Bearer" } };
    expect(answers).toMatchObject([
      { status: 202, text: "A sync follows.\n" },
      { status: 401, ...missing },
      { status: 404, text: "There is no such account.\n" },
      { status: 413, text: "The body is larger than 1000000 bytes.\n" },
    ]);
    expect(doorbell.lines).toMatchObject([{ status: 401, msg: "the doorbell refused a request" }]);
  });

  it.each([
    [`Bearer ${SECRET}`, 202],
    [`bearer   ${SECRET}`, 202],
    [`Bearer ${SECRET} ${SECRET}`, 401],
    [`Token Bearer ${SECRET}`, 401],
    [`Bearer${SECRET}`, 401],
    ["", 401],
  ])("responds to the authorization %j with %i", async (authorization, status) => {
    await using doorbell = await startDoorbell();
    expect((await doorbell.post("/doorbell/acme", "", { authorization })).status).toBe(status);
  });

  it("refuses a GET, which would have the secret in its URL", async () => {
    await using doorbell = await startDoorbell();
    const query = new URLSearchParams({ static_parameters: JSON.stringify(LISTED.static_parameters) });
    const answer = await answerOf(await fetch(`${doorbell.url}/doorbell/acme?${query}`));
    expect(answer).toMatchObject({
      status: 405,
      headers: { allow: "POST" },
      text: expect.stringContaining("Only POST is allowed"),
    });
    expect(doorbell.rung).toEqual([]);
  });

  it("responds under any host name, unlike health and metrics", async () => {
    await using doorbell = await startDoorbell();
    const statuses = await Promise.all(
      ["/doorbell/acme", "/healthz", "/metrics", "/doorbells"].map(async (path) => {
        const headers = { host: "calls.example.com", authorization: `Bearer ${SECRET}` };
        const [response] = await once(
          request(`${doorbell.url}${path}`, { method: "POST", headers }).end(),
          "response",
        );
        response.resume();
        return response.statusCode;
      }),
    );
    expect(statuses).toEqual([202, 421, 421, 421]);
  });

  it("refuses a body over a megabyte, announced or not, and accepts a smaller one", async () => {
    await using doorbell = await startDoorbell();
    const large = { transcription: "x".repeat(990_000), ...LISTED };
    expect((await doorbell.post("/doorbell/acme", large)).status).toBe(202);
    const larger = JSON.stringify({ ...LISTED, transcription: "x".repeat(5_000_000) });
    expect((await doorbell.post("/doorbell/acme", larger)).status).toBe(413);
    const url = `${doorbell.url}/doorbell/acme`;
    const chunked = { headers: { "transfer-encoding": "chunked" } };
    expect(await sendSlowly(url, chunked, larger)).toBe(413);
    expect(await sendSlowly(url, { headers: { "content-length": "1000001" } }, "{")).toBe(413);
    expect(doorbell.rung).toEqual(["acme"]);
  });

  it("ends an incomplete request after the timeout and continues", async () => {
    await using doorbell = await startDoorbell(1000);
    const url = `${doorbell.url}/doorbell/acme`;
    expect(await sendSlowly(url, { headers: { "content-length": "500" } }, '{"calltally_secret"')).toBe(408);
    const headers = { "content-length": "500", authorization: `Bearer ${SECRET}` };
    expect(await sendSlowly(url, { headers }, "{")).toBe(202);
    const cut = request(url, { method: "POST", headers: { "content-length": "500" } });
    cut.on("error", () => {}).write("{", () => cut.destroy());
    while ((doorbell.page.refused.get(408) ?? 0) < 2) await doorbell.post("/doorbell/acme", LISTED);
    expect(refusalsOf(doorbell.page)).toEqual({ 408: 2 });
  });

  it("buffers a bounded part of what it receives, even in tiny pieces", async () => {
    await using doorbell = await startDoorbell(300_000);
    const port = Number(new URL(doorbell.url).port);
    const answers: string[] = [];
    const answered = Promise.withResolvers<void>();
    // Each counts as 967,500 bytes here, so that 16 are held.
    const sockets = Array.from({ length: 40 }, () => {
      const socket = connect(port, "127.0.0.1");
      socket.write("POST /doorbell/acme HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n");
      socket.write("1\r\n7\r\n".repeat(7500));
      socket.once("data", (head) => {
        answers.push(String(head));
        if (answers.length === 24) answered.resolve();
      });
      return socket;
    });
    await answered.promise;
    expect((await doorbell.post("/doorbell/acme", LISTED)).status).toBe(202);
    const busy = expect.stringMatching(
      /^HTTP\/1\.1 503 .*\r\nretry-after: 1\r\n.*Too many bodies at once\.\n/is,
    );
    expect(answers).toEqual(Array(24).fill(busy));
    for (const socket of sockets) socket.destroy();
    while ((doorbell.page.refused.get(408) ?? 0) < 16) await fetch(`${doorbell.url}/healthz`);
    expect(
      (await doorbell.post("/doorbell/acme", { transcription: "x".repeat(900_000), ...LISTED })).status,
    ).toBe(202);
  });
});
