import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { BRIEF_RETRY, type DeliverOptions, deliver } from "../../src/delivery/deliver.ts";
import { readDeliveries } from "../../src/delivery/delivery-table.ts";
import type { DeliveryTarget } from "../../src/delivery/delivery-target.ts";
import { drip, ENDLESS, json, reset, stall, startBadServer, text } from "../support/bad-server.ts";
import { withEnoughTime } from "../support/enough-time.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { isRunning } from "../support/processes.ts";
import { IDENTITY, LOGIN, type MailServerOptions, startMailServer } from "./mail-server.ts";
import { emailTo, makeRun, makeSummary, smtpAt, VALUES, writeReportFile, writeSummary } from "./report.ts";

const { signal } = new AbortController();
type Run = ReturnType<typeof makeRun>;

function send(run: Run, targets: DeliveryTarget[], options: Partial<DeliverOptions> = {}) {
  const { warehouse, runId, summary } = run;
  const job = { runId, summary, values: VALUES, targets };
  const clock = new FakeClock();
  return deliver(warehouse, job, { signal, retry: BRIEF_RETRY, clock, random: () => 0.5, ...options });
}

/** Delivers a report to one address by a server that behaves so. */
async function mailBy(options: MailServerOptions, other: Parameters<typeof smtpAt>[1] = {}) {
  using run = makeRun();
  const clock = new FakeClock();
  await using server = await startMailServer(options);
  const [result] = await send(run, [emailTo(["ann@example.com"], smtpAt(server.port, other))], { clock });
  return { ...result, taken: server.taken, sleeps: clock.sleeps };
}

describe("deliver by e-mail", () => {
  it("sends by STARTTLS with a login, one mail to each address, and has each in the ledger", async () => {
    using run = makeRun();
    await using server = await startMailServer({ needsLogin: true });
    const target = emailTo(["ann@example.com", "bob@example.com"], smtpAt(server.port, { login: LOGIN }));
    const results = await send(run, [target]);
    const of = (recipient: string) => ({
      channel: "email",
      recipient,
      status: "delivered",
      attempts: 1,
      last_error: null,
    });
    expect(results).toEqual([of("ann@example.com"), of("bob@example.com")]);
    expect(
      server.taken
        .map(({ raw: _, ...mail }) => mail)
        .toSorted((a, b) => a.to.join().localeCompare(b.to.join())),
    ).toEqual(
      ["ann", "bob"].map((name) => ({
        from: "calls@example.com",
        to: [`${name}@example.com`],
        isSecure: true,
        user: LOGIN.user,
        isUtf8: false,
      })),
    );
    expect(readDeliveries(run.warehouse, run.runId)).toMatchObject([
      {
        recipient: "ann@example.com",
        status: "delivered",
        started_at: "2026-11-20T15:00:00.000Z",
        finished_at: "2026-11-20T15:00:00.000Z",
      },
      {
        recipient: "bob@example.com",
        status: "delivered",
        message_id: expect.stringMatching(/^<[0-9a-f]{32}@example\.com>$/),
      },
    ]);
    const raw = server.taken.find(({ to }) => to.includes("bob@example.com"))?.raw;
    expect(raw).toContain(`Message-ID: ${readDeliveries(run.warehouse, run.runId)[1]?.message_id}`);
    expect(raw).toContain("Subject: Calls, week 2026-W46");
  });

  it("sends to an address beyond ASCII as such, and to an ASCII one of such a domain as to any", async () => {
    using run = makeRun();
    await using server = await startMailServer();
    const to = ["änn@bücher.example", "ann@bücher.example"];
    const from = { name: "Anrufe", address: "calls@bücher.example" };
    const results = await send(run, [emailTo(to, smtpAt(server.port, { from }))]);
    expect(results).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
    const taken = server.taken.toSorted((a, b) => Number(b.isUtf8) - Number(a.isUtf8));
    expect(taken).toMatchObject([
      { to: ["änn@bücher.example"], isUtf8: true, raw: expect.stringContaining("änn@bücher.example") },
      { to: ["ann@bücher.example"], isUtf8: false, raw: expect.stringMatching(/^\p{ASCII}*$/u) },
    ]);
  });

  it("sends to no address beyond ASCII by a server without SMTPUTF8, and at once to the others", async () => {
    using run = makeRun();
    await using server = await startMailServer({ lacksUtf8: true, needsLogin: true });
    const smtp = smtpAt(server.port, { login: LOGIN });
    const results = await send(run, [emailTo(["änn@example.com", "bob@bücher.example"], smtp)]);
    expect(results).toMatchObject([
      {
        recipient: "änn@example.com",
        status: "failed",
        attempts: 1,
        last_error: `Cannot send mail by localhost:${server.port}: it accepts only ASCII addresses (no SMTPUTF8)`,
      },
      { recipient: "bob@bücher.example", status: "delivered" },
    ]);
    expect(server.taken.map(({ to }) => to)).toEqual([["bob@bücher.example"]]);
  });

  it("sends one mail when two do it at the same time", async () => {
    using run = makeRun();
    await using server = await startMailServer();
    const target = emailTo(["ann@example.com"], smtpAt(server.port));
    const results = await Promise.all([send(run, [target]), send(run, [target])]);
    expect(server.taken).toHaveLength(1);
    expect(results.flat().map(({ status }) => status)).toContain("delivered");
    expect(readDeliveries(run.warehouse, run.runId)).toMatchObject([
      { status: "delivered", last_error: null },
    ]);
  });

  it("trusts a certificate that the system trusts, where TLS is required", async () => {
    using run = makeRun();
    writeSummary(run.summary);
    const certificate = join(run.folder, "certificate.pem");
    writeFileSync(certificate, IDENTITY.cert);
    await using server = await startMailServer();
    const program = join(import.meta.dirname, "deliver-program.ts");
    const child = spawn(
      process.execPath,
      [program, run.database, run.folder, "email-far", `${server.port}`],
      {
        env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
        stdio: "inherit",
      },
    );
    await once(child, "exit");
    expect(server.taken).toMatchObject([{ to: ["ann@example.com"], isSecure: true }]);
  });

  it("sends nothing twice, however often it is called", async () => {
    using run = makeRun();
    await using server = await startMailServer();
    const target = emailTo(["ann@example.com", "ann@example.com"], smtpAt(server.port));
    await send(run, [target, target]);
    await send(run, [target]);
    expect(server.taken).toHaveLength(1);
  });

  it.each([
    { step: "connecting", options: (reply: () => number | undefined) => ({ onConnect: reply }) },
    { step: "the recipient", options: (reply: () => number | undefined) => ({ onRcpt: reply }) },
    { step: "the message", options: (reply: () => number | undefined) => ({ onMessage: reply }) },
  ])("tries again after a temporary refusal of $step, and sends one mail", async ({ options }) => {
    const replies = [421, 451];
    const mail = await mailBy(options(() => replies.shift()));
    expect(mail).toMatchObject({ status: "delivered", attempts: 3, last_error: null, sleeps: [1000, 2000] });
    expect(mail.taken).toHaveLength(1);
  });

  it("gives up after its attempts, and says what the server said", async () => {
    const mail = await mailBy({ onRcpt: () => 451 });
    expect(mail).toMatchObject({ status: "failed", attempts: 3, taken: [], sleeps: [1000, 2000] });
    expect(mail.last_error).toMatch(/^localhost:\d+ said: 451 come back later$/);
  });

  it("leaves what is refused for the moment to other calls, until it was tried so often in all", async () => {
    using run = makeRun();
    const clock = new FakeClock();
    await using server = await startMailServer({ onRcpt: () => 451 });
    const call = async () => {
      const targets = [emailTo(["ann@example.com"], smtpAt(server.port))];
      const [result] = await send(run, targets, { clock, attemptsInAll: 5 });
      return result;
    };
    const startedMs = clock.now();
    const last_error = expect.stringContaining("451");
    expect(await call()).toMatchObject({ status: "pending", attempts: 3, last_error });
    expect(clock.now() - startedMs).toBeLessThanOrEqual(BRIEF_RETRY.budgetMs);
    expect(await call()).toMatchObject({ status: "failed", attempts: 6, last_error });
  });

  it("has failed after the last of its attempts in all, and not one attempt later", async () => {
    using run = makeRun();
    await using server = await startMailServer({ onRcpt: () => 451 });
    const targets = [emailTo(["ann@example.com"], smtpAt(server.port))];
    const [result] = await send(run, targets, { attemptsInAll: BRIEF_RETRY.attempts });
    expect(result).toMatchObject({ status: "failed", attempts: BRIEF_RETRY.attempts });
  });

  it("does not try again after a refusal for good, which takes no other recipient with it", async () => {
    using run = makeRun();
    await using server = await startMailServer({
      onRcpt: (address) => (address === "ann@example.com" ? 550 : undefined),
    });
    const results = await send(run, [emailTo(["ann@example.com", "bob@example.com"], smtpAt(server.port))]);
    expect(results).toMatchObject([
      {
        recipient: "ann@example.com",
        status: "failed",
        attempts: 1,
        last_error: expect.stringMatching(/550 no, never$/),
      },
      { recipient: "bob@example.com", status: "delivered", last_error: null },
    ]);
    expect(server.taken.map(({ to }) => to)).toEqual([["bob@example.com"]]);
  });

  it("tries again when the connection is cut within the message, and sends one mail", async () => {
    let cuts = 0;
    using run = makeRun();
    const bytes = Buffer.alloc(12_000_000, "x");
    const server = await startMailServer({ onData: () => void (cuts++ === 0 && server.cut()) });
    await using _server = server;
    const large = writeReportFile(run.folder, "large.bin", bytes);
    const target = emailTo(["ann@example.com"], smtpAt(server.port));
    const results = await send({ ...run, summary: { ...run.summary, files: [large] } }, [target]);
    expect(results).toMatchObject([{ status: "delivered", attempts: 2 }]);
    expect(server.taken).toHaveLength(1);
  });

  it("does not know what became of a mail when the connection is cut after it, and does not repeat it unasked", async () => {
    let cuts = 0;
    using run = makeRun();
    const server = await startMailServer({
      onMessage: () => {
        if (cuts++ === 0) server.cut();
      },
    });
    await using _server = server;
    const target = emailTo(["ann@example.com"], smtpAt(server.port));
    const unknown = {
      status: "outcome unknown",
      attempts: 1,
      last_error: expect.stringMatching(/^No reply from localhost:\d+ after sending the message: /),
    };
    expect(await send(run, [target])).toMatchObject([unknown]);
    expect(await send(run, [target])).toMatchObject([unknown]);
    expect(server.taken).toHaveLength(1);
    run.warehouse.sqlite.exec("UPDATE deliveries SET status = 'pending'");
    expect(await send(run, [target])).toMatchObject([{ status: "delivered", attempts: 2 }]);
    const ids = server.taken.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it("gives up a server that says nothing: at the greeting it tries again, after the message it does not know", async () => {
    const never = () => new Promise<undefined>(() => undefined);
    const [impatient, patient] = [1000, 60_000];
    using run = makeRun();
    await using mute = await startMailServer({ onConnect: never });
    await using slow = await startMailServer({ onMessage: never });
    const toOne = (to: string, port: number, connectMs: number, idleMs: number): DeliveryTarget => {
      const timeouts = { connectMs, idleMs, totalMs: patient };
      return { channel: "email", to: [to], subject: "Calls", smtp: smtpAt(port), timeouts };
    };
    const results = await send(run, [
      toOne("ann@example.com", mute.port, impatient, patient),
      toOne("bob@example.com", slow.port, patient, 3 * impatient),
    ]);
    expect(results).toMatchObject([
      { status: "failed", attempts: 3, last_error: expect.stringContaining("Greeting never received") },
      { status: "outcome unknown", attempts: 1, last_error: expect.stringContaining("Timeout") },
    ]);
  });

  it("does not send without TLS, nor by a certificate that nobody vouches for, but to this machine", async () => {
    const far = { isLocal: false };
    expect(await mailBy({ lacksTls: true }, far)).toMatchObject({
      status: "failed",
      taken: [],
    });
    for (const isImplicitTls of [true, false]) {
      const mail = await mailBy({ isImplicitTls }, { ...far, isImplicitTls });
      expect(mail).toMatchObject({
        status: "failed",
        attempts: 1,
        taken: [],
        last_error: expect.stringContaining("self-signed"),
      });
      expect(await mailBy({ isImplicitTls }, { isImplicitTls })).toMatchObject({ status: "delivered" });
    }
    expect(await mailBy({ lacksTls: true })).toMatchObject({
      status: "delivered",
      taken: [{ isSecure: false }],
    });
  });

  it("fails at once with a wrong login, and keeps the password out of the ledger", async () => {
    const login = { user: LOGIN.user, password: "wrong-word-18" };
    const mail = await mailBy({ needsLogin: true }, { login });
    expect(mail).toMatchObject({ status: "failed", attempts: 1, taken: [] });
    expect(mail.last_error).toMatch(/said: 535 no such login: \[secret\]$/);
  });

  it("stops when the signal aborts, and leaves what was not sent to the next call", async () => {
    using run = makeRun();
    const stop = new AbortController();
    await using server = await startMailServer({
      onRcpt: () => {
        if (!stop.signal.aborted) stop.abort(new Error("stopped"));
      },
    });
    const target = emailTo(["ann@example.com", "bob@example.com", "cid@example.com"], smtpAt(server.port));
    const stopped = await send(run, [target], { signal: stop.signal });
    expect(stopped.map(({ status }) => status)).toEqual(["pending", "pending", "pending"]);
    expect(await send(run, [target])).toMatchObject([
      { status: "delivered" },
      { status: "delivered" },
      { status: "delivered" },
    ]);
    expect(server.taken).toHaveLength(3);
  });

  it("does not attach a file that is not as the report wrote it", async () => {
    using run = makeRun();
    await using server = await startMailServer();
    writeFileSync(join(run.folder, "channel.csv"), "of another run");
    const results = await send(run, [emailTo(["ann@example.com"], smtpAt(server.port))]);
    expect(results).toMatchObject([
      { status: "failed", last_error: expect.stringContaining("its content is not what the report wrote") },
    ]);
    expect(server.taken).toEqual([]);
  });
});

describe("deliver by web hook", () => {
  const hook = (url: URL, other: object = {}): DeliveryTarget => ({
    channel: "webhook",
    url: new URL("/T0/SECRET-HOOK-17", url),
    ...other,
  });

  it("posts JSON, once, and has the host and no secret in the ledger", async () => {
    using run = makeRun();
    await using server = await startBadServer(json({}));
    await send(run, [hook(server.url)]);
    expect(await send(run, [hook(server.url)])).toEqual([
      {
        channel: "webhook",
        recipient: expect.stringMatching(/^127\.0\.0\.1:\d+ #[0-9a-f]{8}$/),
        status: "delivered",
        attempts: 1,
        last_error: null,
      },
    ]);
    expect(server.requests).toMatchObject([
      { method: "POST", url: "/T0/SECRET-HOOK-17", headers: { "content-type": "application/json" } },
    ]);
    expect(JSON.stringify(run.warehouse.sqlite.prepare("SELECT * FROM deliveries").all())).not.toContain(
      "SECRET",
    );
  });

  it("posts once when two do it at the same time", async () => {
    using run = makeRun();
    await using server = await startBadServer(json({}));
    await Promise.all([send(run, [hook(server.url)]), send(run, [hook(server.url)])]);
    expect(server.requests).toHaveLength(1);
    expect(readDeliveries(run.warehouse, run.runId)).toMatchObject([
      { status: "delivered", last_error: null },
    ]);
  });

  it("tries again after 429, 503 and when there is nobody, as long as a Retry-After asks", async () => {
    using run = makeRun();
    const clock = new FakeClock();
    await using server = await startBadServer(
      text("", 429, { "retry-after": "20" }),
      text("", 503),
      json({}),
    );
    const results = await send(run, [hook(server.url)], { clock });
    expect(results).toMatchObject([{ status: "delivered", attempts: 3 }]);
    expect(clock.sleeps).toEqual([20_000, 2000]);
    const nobody = hook(new URL("http://127.0.0.1:1"));
    expect(await send(run, [nobody])).toMatchObject([
      { status: "failed", attempts: 3, last_error: expect.stringContaining("ECONNREFUSED") },
    ]);
  });

  it("keeps the token out of the ledger, where a server that never takes it quotes it", async () => {
    using run = makeRun();
    await using server = await startBadServer(text("busy, TOKEN-OF-21", 503));
    const results = await send(run, [hook(server.url)], {
      clock: new FakeClock(),
      secrets: ["TOKEN-OF-21"],
    });
    const masked = expect.stringMatching(/returned 503: busy, \[secret\]$/);
    expect(results).toMatchObject([{ status: "failed", attempts: 3, last_error: masked }]);
  });

  it.each([
    {
      title: "a refusal",
      answer: text("no_service at /T0/SECRET-HOOK-17", 404),
      says: /returned 404: no_service at \[secret\]$/,
    },
    {
      title: "a redirect, which it does not follow",
      answer: text("", 302, { location: "/elsewhere" }),
      says: /returned 302$/,
    },
  ])("fails at once by $title", async ({ answer, says }) => {
    using run = makeRun();
    await using server = await startBadServer(answer);
    expect(await send(run, [hook(server.url)])).toMatchObject([
      { status: "failed", attempts: 1, last_error: expect.stringMatching(says) },
    ]);
    expect(server.requests).toHaveLength(1);
  });

  it.each([
    { title: "the connection is cut", answer: reset },
    { title: "nothing comes", answer: stall },
  ])("does not know what became of it when $title, and does not repeat it", async ({ answer }) => {
    using run = makeRun();
    await using server = await startBadServer(answer);
    for (const _ of [1, 2]) {
      const results = await send(run, [hook(server.url, { timeoutMs: 2000 })]);
      expect(results).toMatchObject([
        { status: "outcome unknown", attempts: 1, last_error: expect.stringContaining("after sending") },
      ]);
    }
    expect(server.requests).toHaveLength(1);
  });

  it("is content with the status, whatever the body does", async () => {
    using run = makeRun();
    await using server = await startBadServer(drip(ENDLESS, 100));
    expect(await send(run, [hook(server.url, { timeoutMs: 600_000 })])).toMatchObject([
      { status: "delivered" },
    ]);
  });
});

describe("deliver by command", () => {
  const command = (argv: [string, ...string[]], folder: string, timeoutMs?: number): DeliveryTarget => ({
    channel: "command",
    argv,
    cwd: folder,
    timeoutMs,
  });
  const node = (script: string, ...args: string[]): [string, ...string[]] => [
    process.execPath,
    "-e",
    script,
    "--",
    ...args,
  ];

  it("runs a program with whole values in its arguments, no shell, and hardly an environment", async () => {
    using run = makeRun();
    const script = `require("fs").writeFileSync("seen.json", JSON.stringify({ args: process.argv.slice(1), env: process.env }))`;
    const ours = {
      CALLTALLY_TOKEN: "SECRET-17",
      OTHER_SECRET: "x",
      CALLTALLY_TIMEZONE: "UTC",
    };
    Object.assign(process.env, ours);
    try {
      const results = await send(run, [
        command(
          node(script, "{folder}", "remote:calls/{account} {from}..{to}", "$HOME;{report}"),
          run.folder,
        ),
      ]);
      expect(results).toMatchObject([{ channel: "command", status: "delivered", attempts: 1 }]);
    } finally {
      for (const name of Object.keys(ours)) delete process.env[name];
    }
    const seen = JSON.parse(readFileSync(join(run.folder, "seen.json"), "utf8"));
    expect(seen.args).toEqual([
      expect.stringContaining(run.folder),
      "remote:calls/acme 2026-10-19..2026-11-15",
      "$HOME;weekly",
    ]);
    expect(
      Object.keys(seen.env)
        .filter((name) => !name.startsWith("__"))
        .toSorted(),
    ).toEqual(["CALLTALLY_TIMEZONE", "HOME", "PATH"]);
  });

  it("gives a command a folder of its own with the files of the run, which is removed when the command ends", async () => {
    using run = makeRun();
    const folder = join(run.folder, "weekly");
    mkdirSync(join(folder, "calls/month=2026-10"), { recursive: true });
    const summary = {
      ...makeSummary(folder),
      files: [
        writeReportFile(folder, "channel.csv", "channel,calls\r\n"),
        writeReportFile(folder, "calls/month=2026-10/calls.parquet", "PAR1"),
      ],
    };
    writeReportFile(folder, "calls.csv", "last month's, with +49301234567");
    writeReportFile(folder, "calls/month=2026-10/other.parquet", "PAR1");
    const script = `const fs = require("fs"), [folder, name] = process.argv.slice(1);
      const names = fs.readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
      const mode = fs.statSync(require("path").dirname(folder)).mode & 0o777;
      const files = Object.fromEntries(names.map(({ parentPath, name }) =>
        [require("path").relative(folder, parentPath) + "/" + name, fs.readFileSync(parentPath + "/" + name, "utf8")]));
      fs.writeFileSync(name, JSON.stringify({ folder, mode, files }));
      fs.rmSync(folder + "/channel.csv");`;
    const results = await send({ ...run, summary }, [
      command(node(script, "{folder}", "first.json"), run.folder),
      command(node(script, "{folder}", "second.json"), run.folder),
    ]);
    expect(results).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
    const seen = ["first.json", "second.json"].map((name) =>
      JSON.parse(readFileSync(join(run.folder, name), "utf8")),
    );
    for (const { folder: given, mode, files } of seen) {
      expect(basename(given)).toBe("weekly");
      expect(mode).toBe(0o700);
      expect(files).toEqual({
        "/channel.csv": "channel,calls\r\n",
        "calls/month=2026-10/calls.parquet": "PAR1",
        "/manifest.json": "{}\n",
      });
      expect(existsSync(given)).toBe(false);
    }
    expect(existsSync(join(folder, "channel.csv"))).toBe(true);
    expect(readdirSync(run.folder).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("gives a command the one file of a run, and starts none where a file is not as the report wrote it", async () => {
    using run = makeRun();
    const copy = (name: string) =>
      command(node("require('fs').copyFileSync(...process.argv.slice(1))", "{file}", name), run.folder);
    expect(await send(run, [copy("copied")])).toMatchObject([{ status: "delivered" }]);
    expect(readFileSync(join(run.folder, "copied"), "utf8")).toBe("channel,calls\r\nDirect,3\r\n");
    const failed = async (last_error: string) =>
      expect(await send(run, [copy(last_error.slice(0, 8))])).toMatchObject([
        { status: "failed", attempts: 1, last_error: expect.stringContaining(last_error) },
      ]);
    writeFileSync(join(run.folder, "manifest.json"), "of another run");
    await failed(`${join(run.folder, "manifest.json")}: its content is not what the report wrote`);
    rmSync(join(run.folder, "channel.csv"));
    await failed(`Cannot copy ${join(run.folder, "channel.csv")} for the delivery: ENOENT`);
    expect(readdirSync(run.folder).filter((name) => name.startsWith("."))).toEqual([]);
  });

  it("fails by another exit code, a signal, and a program that is not there; it says what was written last", async () => {
    using run = makeRun();
    const results = await send(
      run,
      [
        command(
          node(
            `process.stderr.write("y".repeat(9000) + "\\u001b[31mno room, TOKEN-OF-17\\n"); process.exitCode = 3`,
          ),
          run.folder,
        ),
        command(node(`process.kill(process.pid, "SIGKILL"); setInterval(() => {}, 1000)`), run.folder),
        command(["/nowhere/rclone"], run.folder),
      ],
      { secrets: ["TOKEN-OF-17"] },
    );
    expect(results).toMatchObject([
      {
        status: "failed",
        attempts: 1,
        last_error: expect.stringMatching(/ended with 3, and wrote last: y+\\u001b\[31mno room, \[secret\]$/),
      },
      { status: "failed", last_error: expect.stringMatching(/was ended by SIGKILL$/) },
      { status: "failed", last_error: "Cannot start /nowhere/rclone: spawn /nowhere/rclone ENOENT" },
    ]);
    expect(results[0]?.last_error?.length).toBeLessThan(4200);
  });

  it("stops a command with all that it started when its time is over", async () => {
    const script = `const { pid } = require("child_process").spawn("sleep", ["600"], { stdio: "inherit" });
      require("fs").writeFileSync("started", String(pid)); setInterval(() => {}, 1000)`;
    const { result, child } = await withEnoughTime(500, async (timeoutMs) => {
      using run = makeRun();
      const [result] = await send(run, [command(node(script), run.folder, timeoutMs)]);
      const started = join(run.folder, "started");
      return existsSync(started) ? { result, child: readFileSync(started, "utf8") } : undefined;
    });
    expect(result).toMatchObject({
      status: "failed",
      last_error: expect.stringMatching(/did not end within [\d.]+ s$/),
    });
    while (isRunning(child)) await sleep(10); // for good, unless it is stopped
  });

  it("has not delivered where a command tidies up once its time is over, and ends with 0", async () => {
    const script = `process.on("SIGTERM", () => process.exit(0));
      require("fs").writeFileSync("ready", ""); setInterval(() => {}, 1000)`;
    const result = await withEnoughTime(500, async (timeoutMs) => {
      using run = makeRun();
      const [result] = await send(run, [command(node(script), run.folder, timeoutMs)]);
      return existsSync(join(run.folder, "ready")) ? result : undefined;
    });
    const last_error = expect.stringMatching(/did not end within [\d.]+ s$/);
    expect(result).toMatchObject({ status: "failed", attempts: 1, last_error });
  });

  it("takes two uploads by one program for two recipients", async () => {
    using run = makeRun();
    const targets = ["a", "b"].map((name) =>
      command(node(`require("fs").appendFileSync("log", "${name}")`), run.folder),
    );
    expect(await send(run, targets)).toMatchObject([{ status: "delivered" }, { status: "delivered" }]);
    await send(run, targets);
    expect([...readFileSync(join(run.folder, "log"), "utf8")].toSorted()).toEqual(["a", "b"]);
  });
});
