import { hash } from "node:crypto";
import { html, raw } from "hono/html";
import type { Letterhead } from "./letterhead.ts";
import { toDataUrl } from "./logo.ts";

type Html = ReturnType<typeof html>;

const sourceOf = (text: string) => `'sha256-${hash("sha256", text, "base64")}'`;

/**
 * Begins a page up to `<body>`. It may load nothing and run no script but this one, so that a visitor's text can do
 * nothing.
 */
export function startPage(title: string, { style, script }: { style: string; script?: string }): Html {
  const policy = [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src ${sourceOf(script)}`]),
    `style-src ${sourceOf(style)}`,
    "img-src data:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title}</title>
<style>${raw(style)}</style>
</head>
<body>
`;
}

/** The line above the title that says whose figures a page shows. */
export function whose({ name, logo }: Letterhead): Html | "" {
  if (name === undefined && logo === undefined) return "";
  return html`<p class="whose">${logo && html`<img src="${toDataUrl(logo)}" alt="">`}${name && html`<bdi>${name}</bdi>`}</p>
`;
}

export function endPage(): Html {
  return html`<footer><p class="faint">Made by calltally; <code>calltally docs figures</code> explains the figures.</p></footer>
</body>
</html>
`;
}
