import { isOnThisMachine } from "../config/setting-parsers.ts";

/** What a web hook shows: a message of Slack, a card of Teams, or plain JSON with a `text` for anything else. */
export type HookKind = "slack" | "teams" | "json";

/**
 * Reads the address of a web hook: https, or http on this machine.
 *
 * @throws Error that says what is wrong, without the address: it is a secret
 */
export function parseHookUrl(text: string): URL {
  const url = URL.parse(text.trim());
  if (url === null) throw new Error("is not a URL that starts with https://");
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isOnThisMachine(url))) {
    throw new Error("must start with https:// (http:// only for this machine)");
  }
  if (url.username || url.password || url.hash) throw new Error("must have neither user nor fragment");
  return url;
}

/** Returns what the service behind an address shows, by its host. */
export function kindOfHook({ hostname }: URL): HookKind {
  if (/^hooks\.slack(-gov)?\.com$/.test(hostname)) return "slack";
  // Workflows of Power Automate, by their hosts before and since 2025, and the connectors before them.
  if (/\.(logic\.azure\.com|api\.powerplatform\.com|webhook\.office\.com)$/.test(hostname)) return "teams";
  return "json";
}
