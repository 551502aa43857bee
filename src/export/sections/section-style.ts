/** The style of all sections: light and dark, narrow and wide, screen and A4. Pages add their own; its hash is in their policy. */
export const SECTION_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --panel: #f5f6f8; --ink: #1c2430; --faint: #525c6b; --line: #d5d9e0; --bar: #b9d3ea; --shade: #a9b2bf; --link: #0b5cad;
  --proven: #2a8a4a; --usual: #a9b2bf; --doubtful: #eaaa00; --wrong: #c0392b;
  --h0: #f1f3f6; --h1: #d6e6f4; --h2: #abcfe6; --h3: #6aaed6; --h4: #3787c0; --h5: #105ba4; --h6: #08306b;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --panel: #1b212a; --ink: #e8ebf0; --faint: #a9b2bf; --line: #39424f; --bar: #23496b; --shade: #5b6777; --link: #7db8f0;
    --proven: #54b877; --usual: #5b6777; --doubtful: #ffc83d; --wrong: #ee7b6e;
    --h0: #1b212a; --h1: #163049; --h2: #1a4a73; --h3: #2268a3; --h4: #3f8dcb; --h5: #7bb8e6; --h6: #cfe6f8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main, header, footer { margin: 0 auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1.5rem 0 0.25rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.25rem 0 0.25rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 0.25rem; }
p { margin: 0.25rem 0 0.75rem; }
a { color: var(--link); }
.whose { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.9rem; margin: 1.5rem 0 -1rem; font-size: 1.1rem; font-weight: 600; overflow-wrap: anywhere; }
.whose bdi { min-width: 0; }
.whose img { max-height: 3.5rem; max-width: min(16rem, 100%); }
.faint, .legend { color: var(--faint); }
.faint { font-size: 0.9rem; }
.verdict { margin: 0.75rem 0; padding: 0.35rem 0.75rem; border-left: 4px solid var(--usual); background: var(--panel); font-size: 0.9rem; overflow-wrap: anywhere; }
.verdict.proven { border-left-color: var(--proven); }
.verdict.doubtful { border-left-color: var(--doubtful); }
.verdict p, .verdict details { margin: 0.1rem 0; }
.verdict summary { color: var(--faint); }
.verdict summary strong { color: var(--ink); }
.verdict ul { margin: 0.25rem 0; padding-left: 1.2rem; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem; list-style: none; margin: 1rem 0 0.5rem; padding: 0; }
.tiles:has(> :nth-child(6)) { grid-template-columns: repeat(4, 1fr); }
.tiles li > * { display: flex; flex-direction: column; align-items: flex-start; width: 100%; height: 100%; padding: 0.6rem 0.75rem; border: 1px solid transparent; border-radius: 6px; background: var(--panel); color: inherit; font-size: 0.9rem; font-weight: 400; text-align: left; }
.tiles .name, .tiles .line { color: var(--faint); }
.tiles .figure { font-size: 1.6rem; line-height: 1.25; font-variant-numeric: tabular-nums; }
.change { color: var(--faint); font-weight: 400; }
.change.beyond { color: var(--ink); font-weight: 600; }
.change .before { color: var(--faint); font-weight: 400; }
.legend { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; list-style: none; margin: 0.25rem 0; padding: 0; font-size: 0.9rem; }
.legend svg { width: 0.8em; height: 0.8em; margin-right: 0.4em; }
/* A shadow at the edge shows that there is more; content covers it at the end. */
.scroll {
  overflow-x: auto; scrollbar-width: thin;
  background: linear-gradient(to right, var(--paper) 50%, transparent) local 0 0 / 3rem 100% no-repeat,
    linear-gradient(to left, var(--paper) 50%, transparent) local 100% 0 / 3rem 100% no-repeat,
    linear-gradient(to right, var(--shade), transparent) 0 0 / 1.25rem 100% no-repeat,
    linear-gradient(to left, var(--shade), transparent) 100% 0 / 1.25rem 100% no-repeat;
}
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { padding: 0.3rem 0.5rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child { text-align: left; width: 28%; }
thead th { min-width: 5.5rem; font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 400; overflow-wrap: anywhere; min-width: 10rem; }
td { white-space: nowrap; font-variant-numeric: tabular-nums; }
td .change, th .change { display: block; font-size: 0.85em; }
.figure data, .change data { white-space: nowrap; }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
.id { display: block; color: var(--faint); font-size: 0.85em; }
.bar { display: block; width: 100%; min-width: 5rem; height: 4px; margin-top: 2px; fill: var(--bar); }
summary { cursor: pointer; color: var(--link); }
.basis dt { font-weight: 600; color: var(--faint); }
.basis dd { margin: 0 0 0.5rem; overflow-wrap: anywhere; }
.basis ul { margin: 0; padding-left: 1.2rem; }
code { font-size: 0.9em; overflow-wrap: anywhere; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media screen and (max-width: 40rem) {
  h1 { font-size: 1.4rem; }
  .tiles, .tiles:has(> :nth-child(6)) { grid-template-columns: 1fr 1fr; gap: 0.5rem; }
  .tiles .figure { font-size: 1.2rem; }
  td .change { min-width: 7rem; white-space: normal; }
  tbody th { min-width: 9rem; }
  th:first-child { position: sticky; left: 0; max-width: 11rem; background: var(--paper); }
}
@page { size: A4; margin: 14mm 12mm; }
@media print {
  body { font-size: 10.5pt; }
  main, header, footer { max-width: none; padding: 0; }
  h2, h3, h2 + p { break-after: avoid; }
  tfoot { display: table-row-group; break-before: avoid; }
  .basis > div { break-inside: avoid; }
  /* A table longer than a page still breaks: between rows, below its head again, and not before its total. */
  figure, .tiles, .scroll, tr { break-inside: avoid; }
  .scroll { overflow: visible; background: none; }
  .verdict, .tiles li > *, .bar, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  details:not([open]) { display: none; }
  .verdict details { display: block; }
}
`;
