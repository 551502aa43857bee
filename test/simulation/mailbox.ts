import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { startMailServer } from "../delivery/mail-server.ts";
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
  const hook = createServer(async (request, response) => {
    const body = await text(request);
    const is = moodOf(mailbox);
    response.statusCode = { later: 503, never: 404, well: 200, cut: 200 }[is];
    if (response.statusCode === 200) mailbox.hooks.push(body);
    if (is === "cut") request.socket.destroy();
    else response.end();
  });
  await new Promise<void>((resolve) => hook.listen(0, "127.0.0.1", resolve));
  const { port: hookPort } = hook.address() as AddressInfo;
  return Object.assign(mailbox, { port: server.port, hookPort });
}
