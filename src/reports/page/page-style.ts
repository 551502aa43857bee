/** The style of the page: light and dark, narrow and wide, screen and A4. Its hash is in the page's policy. */
export const PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --paper: #fff; --panel: #f5f6f8; --ink: #1c2430; --faint: #525c6b; --line: #d5d9e0; --bar: #b9d3ea; --shade: #a9b2bf; --link: #0b5cad;
  --answered: #4a5a70; --missed: #d55e00; --other: #c3c9d1; --first-call: #0072b2; --called-before: #cddcf5; --doubt: #eaaa00;
  --channel-1: #332288; --channel-2: #44aa99; --channel-3: #ddcc77; --channel-4: #882255;
  --channel-5: #88ccee; --channel-6: #117733; --channel-7: #aa4499; --channel-8: #999933;
  --h0: #f1f3f6; --h1: #d6e6f4; --h2: #abcfe6; --h3: #6aaed6; --h4: #3787c0; --h5: #105ba4; --h6: #08306b;
  --m1: #fde8d8; --m2: #fbc9a4; --m3: #f5a167; --m4: #e4742f; --m5: #b84c0c; --m6: #6f2a04;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --paper: #12161c; --panel: #1b212a; --ink: #e8ebf0; --faint: #a9b2bf; --line: #39424f; --bar: #23496b; --shade: #5b6777; --link: #7db8f0;
    --answered: #93a4ba; --missed: #e8773a; --other: #4f5a68; --first-call: #3b9ad9; --called-before: #274f73; --doubt: #ffc83d;
    --channel-1: #7b6fd6; --channel-2: #4fc0ad; --channel-3: #e8da90; --channel-4: #b5487f;
    --channel-5: #a5dcf7; --channel-6: #3f9a5c; --channel-7: #e6b0e0; --channel-8: #77772a;
    --h0: #1b212a; --h1: #163049; --h2: #1a4a73; --h3: #2268a3; --h4: #3f8dcb; --h5: #7bb8e6; --h6: #cfe6f8;
    --m1: #3a2012; --m2: #5f2c10; --m3: #8f3f10; --m4: #c45a1c; --m5: #ee9256; --m6: #fcd9bf;
  }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
main, header, footer { max-width: 66rem; margin: 0 auto; padding: 0 1rem; }
h1 { font-size: 1.7rem; line-height: 1.2; margin: 1.5rem 0 0.25rem; }
.whose { display: flex; flex-wrap: wrap; align-items: center; gap: 0.4rem 0.9rem; margin: 1.5rem 0 -1rem; font-size: 1.1rem; font-weight: 600; overflow-wrap: anywhere; }
.whose bdi { min-width: 0; }
.whose img { max-height: 3.5rem; max-width: min(16rem, 100%); }
h2 { font-size: 1.2rem; line-height: 1.3; margin: 2.25rem 0 0.25rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 0.25rem; }
p { margin: 0.25rem 0 0.75rem; }
a { color: var(--link); }
.faint, figcaption, .legend, dt { color: var(--faint); }
.verdict { border-left: 4px solid var(--shade); background: var(--panel); padding: 0.5rem 0.75rem; }
.verdict.doubt { border-left-color: var(--doubt); }
.sentences { font-size: 1.1rem; margin: 1rem 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 0.75rem; margin: 1rem 0; }
.tiles:has(> :nth-child(6)) { grid-template-columns: repeat(4, 1fr); }
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
td.wrong { color: var(--faint); padding-left: 1.5rem; text-align: left; white-space: normal; overflow-wrap: anywhere; }
.chance { color: var(--faint); }
tfoot th, tfoot td { font-weight: 600; border-bottom: 0; }
.id { display: block; color: var(--faint); font-size: 0.85em; }
.line { display: block; }
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
  h1 { font-size: 1.4rem; }
  .verdict { font-size: 0.9rem; }
  .tiles, .tiles:has(> :nth-child(6)) { grid-template-columns: 1fr 1fr; gap: 0.5rem; }
  th:first-child { position: sticky; left: 0; background: var(--paper); }
}
@page { size: A4; margin: 14mm 12mm; }
@media print {
  body { font-size: 10.5pt; }
  main, header, footer { max-width: none; padding: 0; }
  h2, h3, h2 + p { break-after: avoid; }
  tfoot { display: table-row-group; }
  .basis > div { break-inside: avoid; }
  /* A table longer than a page still breaks: between rows, below its head again, and not before its total. */
  figure, .tiles, .scroll, tr { break-inside: avoid; }
  tfoot { break-before: avoid; }
  .scroll { overflow: visible; background: none; }
  .bar { width: 2.5rem; }
  .verdict, .tiles > div, svg { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  details:not([open]) { display: none; }
  .tiles { grid-template-columns: repeat(5, 1fr); }
}
`;
