import { startMailServer } from "../reports/delivery/mail-server.ts";
import { reset, startServer, text } from "../support/services/server.ts";
import { uptimeMs } from "./machine.ts";
import type { Mailbox } from "./types.ts";

const WELL: Mailbox["mood"] = { is: "well", untilAt: 0 };

const moodOf = ({ mood }: Mailbox) => (mood.untilAt > uptimeMs() ? mood.is : "well");

let opened: Mailbox | undefined;

/** Opens the only mail server and the only webhook of this process, empty. */
export async function openMailbox(): Promise<Mailbox> {
  opened ??= await start();
  opened.taken.length = 0;
  opened.hooks.length = 0;
  opened.mood = WELL;
  return opened;
}

async function start() {
  const mailbox: Mailbox = { port: 0, hookPort: 0, taken: [], hooks: [], mood: WELL };
  const server = await startMailServer({
    lacksTls: true,
    onRcpt: () => ({ later: 451, never: 550, well: undefined, cut: undefined })[moodOf(mailbox)],
    onMessage: () => {
      // The sender does not learn whether it was accepted.
      if (moodOf(mailbox) === "cut") queueMicrotask(() => server.cut());
      return undefined;
    },
  });
  const push = server.taken.push.bind(server.taken);
  server.taken.push = (...mails) => {
    for (const { to, raw } of mails) {
      const [, id = ""] = /^Message-ID:\s*(\S+)/im.exec(raw) ?? [];
      mailbox.taken.push({ to: to.join(), id, raw });
    }
    return push(...mails);
  };
  const hook = await startServer((request, response) => {
    const is = moodOf(mailbox);
    const status = { later: 503, never: 404, well: 200, cut: 200 }[is];
    if (status === 200) mailbox.hooks.push(String(request.body));
    (is === "cut" ? reset : text("", status))(request, response);
  });
  return Object.assign(mailbox, { port: server.port, hookPort: Number(hook.url.port) });
}
