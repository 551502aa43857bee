import { startMailServer } from "../delivery/mail-server.ts";
import { uptimeMs } from "./machine.ts";
import type { Mailbox } from "./types.ts";

const WELL: Mailbox["mood"] = { is: "well", untilAt: 0 };

const moodOf = ({ mood }: Mailbox) => (mood.untilAt > uptimeMs() ? mood.is : "well");

let opened: (Mailbox & { cut: () => void }) | undefined;

/** Opens the one mail server of this process, empty. */
export async function openMailbox(): Promise<Mailbox> {
  opened ??= await start();
  opened.taken.length = 0;
  opened.mood = WELL;
  return opened;
}

async function start() {
  const mailbox: Mailbox & { cut: () => void } = { port: 0, taken: [], mood: WELL, cut: () => undefined };
  const server = await startMailServer({
    lacksTls: true,
    onRcpt: () => ({ later: 451, never: 550, well: undefined, cut: undefined })[moodOf(mailbox)],
    onMessage: () => {
      // The sender does not learn whether it was taken.
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
  return Object.assign(mailbox, { port: server.port });
}
