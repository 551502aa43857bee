import { hash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { deflateRawSync } from "node:zlib";
import { html } from "hono/html";
import { daysInWords } from "../../base/calendar/period-text.ts";
import { toPrintable } from "../../base/text/printable.ts";
import { startPage } from "../../export/letterhead/page-shell.ts";
import { saySome, statementsOf } from "../../export/statements/statements.ts";
import { EXPLORE_STYLE } from "./explore-style.ts";
import type { PageFacts } from "./page-facts.ts";

/** Reads the script that `npm run build` makes, next to the program; found from `src`, too. */
function readScript(): string {
  const built = new URL("explore.js", import.meta.url);
  return readFileSync(
    existsSync(built) ? built : new URL("../../../dist/explore.js", import.meta.url),
    "utf8",
  );
}

/** Returns the page; the calls come last, so that a browser paints what is before them. */
export function toExplorePage(facts: Omit<PageFacts, "sha256">, packed: Uint8Array): string[] {
  // A page loads nothing, so what is in it must not end its script.
  const script = readScript().replaceAll("</script", "<\\/script");
  const calls = deflateRawSync(packed).toString("base64");
  const days = `Calls, ${daysInWords(facts)}`;
  const title = facts.name === null ? days : `${facts.name}: ${days}`;
  const known = JSON.stringify({ ...facts, sha256: hash("sha256", calls) }).replaceAll("<", "\\u003c");
  const statements = saySome(statementsOf(facts), "see below");
  const head = html`${startPage(title, { style: EXPLORE_STYLE, script })}<div id="page"><header><h1><bdi>${title}</bdi></h1><p>${toPrintable(statements.join(" "))}</p></header>
<main><p id="progress">Unpacking calls… This page needs JavaScript: if nothing happens, open it in a browser from a folder, not in a mail program.</p></main></div>
`;
  return [
    String(head),
    `<script type="application/json" id="facts">${known}</script>\n`,
    `<script type="text/plain" id="calls">${calls}</script>\n`,
    `<script>${script}</script>\n</body>\n</html>\n`,
  ];
}
