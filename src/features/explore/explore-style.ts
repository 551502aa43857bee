import { SECTION_STYLE } from "../../export/sections/section-style.ts";

/** The style of the page to explore. */
export const EXPLORE_STYLE = `${SECTION_STYLE}
:root { --now: #3273b0; --rest: #c3d3e5; --before: #d07a1f; }
@media screen and (prefers-color-scheme: dark) {
  :root { --now: #4f93d1; --rest: #294866; --before: #f0a860; }
}
header, main { max-width: 76rem; }
button, select, summary { cursor: pointer; }
button, select, input, summary { font: inherit; font-size: 0.9rem; color: inherit; }
button, select, input[type="date"], .menu > summary { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: 0.3rem 0.6rem; min-height: 2.1rem; }
button:hover, select:hover, .menu > summary:hover { border-color: var(--faint); }
.tiles button:hover { border-color: var(--faint); }
.tiles button[aria-pressed="true"] { color: inherit; font-weight: 400; }
button[aria-pressed="true"], .menu > summary.marked { border-color: var(--link); color: var(--link); font-weight: 600; }
button.plain { border: 0; background: none; padding: 0; min-height: 0; text-align: inherit; color: var(--link); }
button.plain:hover { text-decoration: underline; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.toolbar, .filters, .presets, .crumbs { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
.toolbar { gap: 0.5rem 0.75rem; margin: 0.5rem 0; }
.toolbar label, .heading label { display: flex; align-items: center; gap: 0.4rem; font-size: 0.9rem; color: var(--faint); }
.presets { gap: 0; }
.presets button { border-radius: 0; margin-left: -1px; }
.presets button:first-child { border-radius: 6px 0 0 6px; }
.presets button:last-child { border-radius: 0 6px 6px 0; }
.presets button[aria-pressed="true"] { position: relative; z-index: 1; }
.heading { display: flex; flex-wrap: wrap; align-items: baseline; justify-content: space-between; gap: 0 1rem; }
.menu { position: relative; }
.menu > summary { list-style: none; white-space: nowrap; }
.menu > summary::-webkit-details-marker { display: none; }
.menu > summary::after { content: " ▾"; color: var(--faint); }
.panel { position: absolute; z-index: 10; width: max-content; min-width: 14rem; max-width: min(24rem, calc(100vw - 2.5rem)); max-height: 22rem; overflow: auto; margin-top: 0.25rem; padding: 0.5rem; background: var(--paper); border: 1px solid var(--line); border-radius: 8px; box-shadow: 0 6px 24px rgb(0 0 0 / 18%); }
.panel input[type="search"] { width: 100%; margin-bottom: 0.25rem; padding: 0.3rem 0.5rem; background: var(--paper); border: 1px solid var(--line); border-radius: 6px; }
.panel ul { list-style: none; margin: 0; padding: 0; }
.panel label { display: flex; gap: 0.5rem; align-items: baseline; padding: 0.15rem 0.25rem; border-radius: 4px; overflow-wrap: anywhere; }
.panel label:hover { background: var(--panel); }
.panel p { margin: 0.25rem; color: var(--faint); }
.count { margin-left: auto; padding-left: 1rem; color: var(--faint); font-variant-numeric: tabular-nums; }
.crumbs { list-style: none; margin: 0.75rem 0 0; padding: 0; }
.crumbs button:not(.plain) { background: var(--panel); border-radius: 999px; max-width: 24rem; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.legend .pointed { margin-left: auto; color: var(--ink); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 0 2.5rem; }
.pair > * { min-width: 0; }
.chart svg { display: block; }
.choosable { cursor: pointer; }
thead button.plain { color: inherit; font-weight: 600; }
th.key, td.key { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 8rem; max-width: 20rem; }
.calls th:first-child { width: auto; min-width: 0; white-space: nowrap; }
thead button.change { margin-left: auto; font-weight: 400; }
details:not(.menu) > summary { color: var(--link); }
pre { margin: 0; padding: 0.6rem 0.8rem; background: var(--panel); border-radius: 6px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.88rem; }
.option { display: inline-block; max-width: 100%; overflow-wrap: anywhere; }
.light { display: inline-block; width: 0.7em; height: 0.7em; margin-right: 0.4em; border-radius: 50%; background: var(--faint); }
.light.good { background: var(--proven); }
.light.bad { background: var(--wrong); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media screen and (max-width: 40rem) {
  h1 { font-size: 1.35rem; margin-top: 1rem; }
  header, main { padding: 0 0.9rem; }
  .presets { flex-basis: 100%; }
  .presets button { flex: 1 1 auto; padding: 0.3rem 0.25rem; }
  .filters { flex-wrap: nowrap; overflow-x: auto; padding-bottom: 0.25rem; }
  .filters:has(details[open]) { flex-wrap: wrap; overflow: visible; }
}
@media print {
  body { font-size: 10pt; }
  header, main { max-width: none; padding: 0; }
  .toolbar, .filters, .heading label, button:not(.plain, .tiles button, .crumbs button), details:not([open]) { display: none; }
  button.plain { color: inherit; }
}
`;
