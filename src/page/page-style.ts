/** The style of the page: light and dark, narrow and wide, screen and A4. Its hash is in the page's policy. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --panel: #f5f6f8; --ink: #1c2430; --faint: #525c6b; --line: #d5d9e0; --bar: #b9d3ea; --shade: #a9b2bf; --link: #0b5cad;
  --c1: #0072b2; --c2: #d55e00; --c3: #009e73; --c4: #cc79a7; --c5: #56b4e9; --c6: #e69f00; --c7: #5b4b9a; --c8: #8c929b;
  --h0: #f1f3f6; --h1: #d6e6f4; --h2: #abcfe6; --h3: #6aaed6; --h4: #3787c0; --h5: #105ba4; --h6: #08306b;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --panel: #1b212a; --ink: #e8ebf0; --faint: #a9b2bf; --line: #39424f; --bar: #23496b; --shade: #5b6777; --link: #7db8f0;
    --c1: #3b9ad9; --c2: #e8773a; --c3: #20b98c; --c4: #dc94bb; --c5: #7fc8f2; --c6: #f0b43c; --c7: #9b8ce0; --c8: #8c929b;
    --h0: #1b212a; --h1: #163049; --h2: #1a4a73; --h3: #2268a3; --h4: #3f8dcb; --h5: #7bb8e6; --h6: #cfe6f8;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main, header, footer { max-width: 62rem; margin: 0 auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1.5rem 0 0.25rem; }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.25rem 0 0.25rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 0.25rem; }
p { margin: 0.25rem 0 0.75rem; }
a { color: var(--link); }
.faint, figcaption, .legend, dt { color: var(--faint); }
.verdict { border-left: 4px solid var(--c3); background: var(--panel); padding: 0.5rem 0.75rem; }
.verdict.doubt { border-left-color: var(--c2); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem; margin: 1rem 0; }
.tiles > div { background: var(--panel); padding: 0.6rem 0.75rem; border-radius: 4px; }
.tiles dt { font-size: 0.9rem; }
.tiles dd { margin: 0; font-size: 0.9rem; color: var(--faint); }
.tiles dd:first-of-type { font-size: 1.7rem; line-height: 1.2; color: var(--ink); }
figure { margin: 0 0 0.5rem; }
figure > div > svg { display: block; width: 100%; height: auto; }
.narrow { display: none; }
/* A shadow at the edge shows that there is more; content covers it at the end. */
.scroll {
  overflow-x: auto; scrollbar-width: thin;
  background: linear-gradient(to right, var(--paper) 50%, transparent) local 0 0 / 3rem 100% no-repeat,
    linear-gradient(to left, var(--paper) 50%, transparent) local 100% 0 / 3rem 100% no-repeat,
    linear-gradient(to right, var(--shade), transparent) 0 0 / 1.25rem 100% no-repeat,
    linear-gradient(to left, var(--shade), transparent) 100% 0 / 1.25rem 100% no-repeat;
}
.legend { display: flex; flex-wrap: wrap; gap: 0.1rem 1rem; list-style: none; margin: 0.25rem 0; padding: 0; font-size: 0.9rem; }
.legend svg { width: 0.8em; height: 0.8em; margin-right: 0.4em; }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
th, td { padding: 0.25rem 0.5rem; text-align: right; border-bottom: 1px solid var(--line); vertical-align: top; }
th:first-child { text-align: left; width: 38%; }
thead th { font-weight: 600; white-space: nowrap; }
tbody th { font-weight: 400; overflow-wrap: anywhere; min-width: 10rem; }
td { white-space: nowrap; font-variant-numeric: tabular-nums; }
.chance { color: var(--faint); }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
.id { text-align: left; white-space: normal; overflow-wrap: anywhere; min-width: 12.5rem; }
.measured { display: flex; align-items: baseline; gap: 0.5rem; }
.measured data { margin-left: auto; }
.bar { flex: none; width: 5rem; height: 0.75rem; fill: var(--bar); }
details { margin: 0.25rem 0 0.75rem; }
summary { cursor: pointer; color: var(--link); }
.basis dt { font-weight: 600; }
.basis dd { margin: 0 0 0.5rem; overflow-wrap: anywhere; }
.basis ul { margin: 0; padding-left: 1.2rem; }
code { font-size: 0.9em; overflow-wrap: anywhere; }
footer { margin-bottom: 2rem; font-size: 0.9rem; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
@media screen and (max-width: 40rem) {
  .wide, .bar { display: none; }
  .narrow { display: block; }
  tbody th { min-width: 9rem; }
  .id { min-width: 7.5rem; }
  th:first-child { position: sticky; left: 0; background: var(--paper); }
}
@page { size: A4; margin: 14mm 12mm; }
@media print {
  body { font-size: 10.5pt; }
  main, header, footer { max-width: none; padding: 0; }
  h2, h3, h2 + p { break-after: avoid; }
  tfoot { display: table-row-group; }
  .basis > div { break-inside: avoid; }
  figure, .tiles, tr { break-inside: avoid; }
  .scroll { overflow: visible; background: none; }
  .verdict, .tiles > div, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  details:not([open]) { display: none; }
  .tiles { grid-template-columns: repeat(3, 1fr); }
}
`;
