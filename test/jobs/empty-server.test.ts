import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { startSandbox } from "../../src/sandbox/server.ts";
import "../support/built.ts";
import { unusedPort } from "../support/services/server.ts";
import { makeTempFolder } from "../support/temp-folder.ts";

/** Whether this user can have file systems, users and processes that the rest of the machine does not see. */
const NEEDED = "mount -t tmpfs tmpfs /opt && useradd --help && systemd-analyze --version && ps";
const isPossible =
  spawnSync("unshare", ["--mount", "--pid", "--fork", "--mount-proc", "sh", "-c", NEEDED]).status === 0;
const unlessSkipped = isPossible ? "" : " (SKIPPED: needs root, unshare, useradd, ps and systemd-analyze)";

/** The commands of a section of docs/operating.md, without its title. */
function readCommands(title: string): string {
  const [, section = ""] = readFileSync("docs/operating.md", "utf8").split(`\n## ${title}\n`);
  const [own = ""] = section.split(/\n\*\*With a |\n## /);
  return own.replace(/^(?! {4}\S).*\n/gm, "").replace(/^ {4}/gm, "");
}

/**
 * Real: folders, users, modes, the built program, its libraries, the sandbox. The results of the package manager, tar and npm
 * are copied; fake-systemd.ts replaces systemd.
 */
function fakes(node: string, port: number): Record<string, string> {
  const here = resolve(".");
  const systemd = `exec ${node} ${here}/test/jobs/fake-systemd.ts /run`;
  return {
    "apt-get": "",
    tar: `cd ${here} && cp -R --parents package.json docs jobs dist "$5" &&
      sed -i s/9464/${port}/ "$5/jobs/deploy/calltally.service"`,
    npm: `mkdir node_modules && mount --bind ${here}/node_modules node_modules`,
    systemctl: `${systemd} systemctl "$@"`,
    "systemd-run": `${systemd} systemd-run "$@"`,
  };
}

describe("docs/operating.md", () => {
  it.skipIf(!isPossible)(`leads from an empty server to a running service${unlessSkipped}`, async () => {
    using folder = makeTempFolder();
    await using sandbox = await startSandbox({ calls: 120 });
    const port = await unusedPort();
    const bin = join(folder.path, "bin");
    mkdirSync(bin);
    for (const [name, lines] of Object.entries(fakes(process.execPath, port))) {
      writeFileSync(join(bin, name), `#!/bin/sh\n${lines}\n`);
      chmodSync(join(bin, name), 0o755);
    }
    const commands = readCommands("From an empty server to a running service").replaceAll(
      "https://api.example.com",
      sandbox.url,
    );
    const script = `set -e
cp -a /etc ${folder.path}/etc && mount --bind ${folder.path}/etc /etc
for empty in /opt /var/lib /usr/local/sbin /run; do mount -t tmpfs tmpfs $empty; done
${commands}
stat --format '%a %U %G %n' /var/lib/calltally /var/lib/calltally/data/calltally.db /var/lib/calltally-exports /etc/calltally/token
systemd-analyze verify /etc/systemd/system/calltally.service
${process.execPath} --eval "fetch('http://127.0.0.1:${port}/healthz').then(async (r) => console.log(r.status, await r.text()))"
ps -e -o user=,args= | grep 'schedule --[l]isten'`;
    writeFileSync(join(folder.path, "page.sh"), script);
    const child = spawn(
      "unshare",
      ["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "bash", join(folder.path, "page.sh")],
      { env: { PATH: `${bin}:/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin` }, stdio: "pipe" },
    );
    child.stdin.end(`${sandbox.token}\n`);
    const [stdout, stderr, [code]] = await Promise.all([
      text(child.stdout),
      text(child.stderr),
      once(child, "exit"),
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    for (const line of [
      /^warn +warehouse +there is none at /m,
      /^(\d+) of \d+ checks passed; --all lists them$/m,
      /^ {2}verdict +exact: /m,
      /^Working +yes: /m,
      /^700 calltally calltally \/var\/lib\/calltally$/m,
      /^600 calltally calltally \/var\/lib\/calltally\/data\/calltally.db$/m,
      /^2750 calltally calltally-readers \/var\/lib\/calltally-exports$/m,
      /^600 root root \/etc\/calltally\/token$/m,
      /^200 \{"status":"ok"/m,
      /^calltal\S+ +node .*\/opt\/calltally\/dist\/bin.js schedule --listen/m,
    ])
      expect(stdout).toMatch(line);
  });
});
