import { html } from "hono/html";
import { formatCount } from "../../base/text/quantity-text.ts";
import { toShortName } from "../../base/text/short-name.ts";
import type { Value } from "../../sources/figure-session.ts";

/** The result of hono's `html`: text in which all inserted values are escaped. */
export type Html = ReturnType<typeof html>;

/** Shown for a missing figure, such as a rate without calls. */
export const NONE = "–";

const MAX_CHARACTERS = 100;

export function countOf(value: Value | undefined): Html {
  return figure(value, formatCount);
}

export function figure(value: Value | undefined, format: (number: number) => string): Html {
  return typeof value === "number" ? html`<data value="${value}">${format(value)}</data>` : html`${NONE}`;
}

/** A visitor's text, isolated from the direction of its surroundings; cut if long. */
export function isolated(text: string): Html {
  return html`<bdi>${toShortName(text, MAX_CHARACTERS)}</bdi>`;
}

export function scrolled(label: string, table: Html): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="${label}"><table>
${table}</table></div>`;
}

export function headRow(heads: readonly string[]): Html {
  return html`<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>`;
}
