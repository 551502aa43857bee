/** The style of the page to explore: light and dark, narrow and wide, screen and paper. Its hash is in the policy of the page. */
export const EXPLORE_STYLE = `
:root { color-scheme: light dark; --paper: #fff; --panel: #f5f6f8; --ink: #1c2430; --faint: #525c6b; --line: #d5d9e0; --link: #0b5cad; --now: #3273b0; --rest: #c3d3e5; --before: #d07a1f; --bar: #b9d3ea; --h0: #f1f3f6; --h1: #d6e6f4; --h2: #abcfe6; --h3: #6aaed6; --h4: #3787c0; --h5: #105ba4; --h6: #08306b; --doubt: #eaaa00; --good: #2a8a4a; --bad: #c0392b; }
@media screen and (prefers-color-scheme: dark) {
  :root { --paper: #12161c; --panel: #1b212a; --ink: #e8ebf0; --faint: #a9b2bf; --line: #39424f; --link: #7db8f0; --now: #4f93d1; --rest: #294866; --before: #f0a860; --bar: #23496b; --h0: #1b212a; --h1: #163049; --h2: #1a4a73; --h3: #2268a3; --h4: #3f8dcb; --h5: #7bb8e6; --h6: #cfe6f8; --doubt: #ffc83d; --good: #54b877; --bad: #ee7b6e; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px / 1.5 system-ui, sans-serif; }
header, main { max-width: 76rem; margin: 0 auto; padding: 0 1.25rem; }
h1 { font-size: 1.6rem; line-height: 1.2; margin: 1.5rem 0 1rem; }
.whose { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.9rem; margin: 1.5rem 0 -1rem; font-size: 1.05rem; font-weight: 600; overflow-wrap: anywhere; }
.whose bdi { min-width: 0; }
.whose img { max-height: 3.5rem; max-width: min(16rem, 100%); }
h2 { font-size: 1.15rem; margin: 2rem 0 0.5rem; }
h3 { font-size: 0.95rem; margin: 1rem 0 0.25rem; }
button, select, summary { cursor: pointer; }
button, select, input, summary { font: inherit; font-size: 0.9rem; color: inherit; }
button, select, input[type="date"], .menu > summary { background: var(--paper); border: 1px solid var(--line); border-radius: 6px; padding: 0.3rem 0.6rem; min-height: 2.1rem; }
button:hover, select:hover, .menu > summary:hover { border-color: var(--faint); }
button[aria-pressed="true"], .menu > summary.marked { border-color: var(--link); color: var(--link); font-weight: 600; }
button.plain { border: 0; background: none; padding: 0; min-height: 0; text-align: inherit; color: var(--link); }
button.plain:hover { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
fieldset { border: 0; margin: 0; padding: 0; min-width: 0; }
.toolbar, .filters, .presets, .crumbs { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem; }
.toolbar { gap: 0.5rem 0.75rem; margin: 0.5rem 0; }
.toolbar label, .heading label { display: flex; align-items: center; gap: 0.4rem; font-size: 0.9rem; color: var(--faint); }
.presets { gap: 0; }
.presets button { border-radius: 0; margin-left: -1px; }
.presets button:first-child { border-radius: 6px 0 0 6px; }
.presets button:last-child { border-radius: 0 6px 6px 0; }
.presets button[aria-pressed="true"] { position: relative; z-index: 1; }
.verdict { margin: 0 0 1rem; padding: 0.4rem 0.75rem; border-left: 4px solid var(--line); background: var(--panel); font-size: 0.9rem; }
.verdict.doubt { border-left-color: var(--doubt); }
.verdict:empty { display: none; }
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
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.75rem; list-style: none; margin: 1.25rem 0 0.5rem; padding: 0; }
.cards:has(> :nth-child(8)) { grid-template-columns: repeat(auto-fit, minmax(12rem, 1fr)); }
.cards button { display: flex; flex-direction: column; align-items: flex-start; width: 100%; height: 100%; padding: 0.6rem 0.8rem; background: var(--panel); border-color: transparent; border-radius: 8px; font-weight: 400; color: inherit; text-align: left; }
.cards button[aria-pressed="true"] { border-color: var(--link); }
.cards .name { color: var(--faint); }
.cards data { font-size: 1.6rem; line-height: 1.3; font-variant-numeric: tabular-nums; }
.change .before { color: var(--faint); font-weight: 400; }
.change, .faint { color: var(--faint); }
.faint { font-size: 0.9rem; margin: 0.25rem 0; }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.25rem; margin: 0; color: var(--faint); font-size: 0.9rem; }
.legend .now::before, .legend .before::before { content: ""; display: inline-block; width: 0.8em; height: 0.8em; margin-right: 0.4em; background: var(--now); }
.legend .before::before { height: 2px; width: 1.2em; vertical-align: middle; background: var(--before); }
.legend .pointed { margin-left: auto; color: var(--ink); }
.pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(26rem, 100%), 1fr)); gap: 0 2.5rem; }
.pair > section { min-width: 0; }
.bands td.wide { width: 50%; vertical-align: middle; }
.chart svg { display: block; }
.choosable { cursor: pointer; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { padding: 0.35rem 0.75rem; text-align: right; vertical-align: top; border-bottom: 1px solid var(--line); }
th:first-child { text-align: left; padding-left: 0; width: 30%; }
thead th { font-weight: 600; white-space: nowrap; }
thead button.plain { color: inherit; font-weight: 600; }
tbody th { font-weight: 400; min-width: 9rem; max-width: 26rem; overflow-wrap: anywhere; }
td { white-space: nowrap; font-variant-numeric: tabular-nums; }
th.key, td.key { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 8rem; max-width: 20rem; }
.calls th:first-child { width: auto; min-width: 0; white-space: nowrap; }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
.change { font-weight: 400; }
.change.beyond { color: var(--ink); font-weight: 600; }
td .change, th .change { display: block; font-size: 0.85em; }
thead button.change { margin-left: auto; font-weight: 400; }
.id { display: block; color: var(--faint); font-size: 0.85em; }
.bar { display: block; width: 100%; min-width: 5rem; height: 4px; margin-top: 2px; fill: var(--bar); }
details:not(.menu) > summary { color: var(--link); }
pre { margin: 0; padding: 0.6rem 0.8rem; background: var(--panel); border-radius: 6px; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; font-size: 0.88rem; }
.option { display: inline-block; max-width: 100%; overflow-wrap: anywhere; }
.basis dt { font-weight: 600; }
.basis dd { margin: 0 0 0.6rem; overflow-wrap: anywhere; }
.basis ul { margin: 0; padding-left: 1.2rem; }
.light { display: inline-block; width: 0.7em; height: 0.7em; margin-right: 0.4em; border-radius: 50%; background: var(--faint); }
.light.good { background: var(--good); }
.light.bad { background: var(--bad); }
.hidden { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
@media screen and (max-width: 40rem) {
  h1 { font-size: 1.35rem; margin-top: 1rem; }
  header, main { padding: 0 0.9rem; }
  .cards, .cards:has(> :nth-child(8)) { grid-template-columns: 1fr 1fr; gap: 0.5rem; }
  .cards data { font-size: 1.35rem; }
  .presets { flex-basis: 100%; }
  .presets button { flex: 1 1 auto; padding: 0.3rem 0.25rem; }
  .filters { flex-wrap: nowrap; overflow-x: auto; padding-bottom: 0.25rem; }
  .filters:has(details[open]) { flex-wrap: wrap; overflow: visible; }
  th:first-child { position: sticky; left: 0; background: var(--paper); max-width: 11rem; }
}
@page { size: A4; margin: 14mm 12mm; }
@media print {
  body { font-size: 10pt; }
  header, main { max-width: none; padding: 0; }
  .toolbar, .filters, .heading label, button:not(.plain, .cards button, .crumbs button), details:not([open]) { display: none; }
  button.plain { color: inherit; }
  section, tr, .cards { break-inside: avoid; }
  .scroll { overflow: visible; }
  .cards button, .verdict, .bar, svg, .legend span::before, .light { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
`;
