import { SECTION_STYLE } from "../../export/sections/section-style.ts";

/** The style of the page of charts. */
export const PAGE_STYLE = `${SECTION_STYLE}
:root {
  --answered: #4a5a70; --missed: #d55e00; --other: #c3c9d1; --first-call: #0072b2; --called-before: #cddcf5;
  --channel-1: #332288; --channel-2: #44aa99; --channel-3: #ddcc77; --channel-4: #882255;
  --channel-5: #88ccee; --channel-6: #117733; --channel-7: #aa4499; --channel-8: #999933;
  --m1: #fde8d8; --m2: #fbc9a4; --m3: #f5a167; --m4: #e4742f; --m5: #b84c0c; --m6: #6f2a04;
}
@media screen and (prefers-color-scheme: dark) {
  :root {
    --answered: #93a4ba; --missed: #e8773a; --other: #4f5a68; --first-call: #3b9ad9; --called-before: #274f73;
    --channel-1: #7b6fd6; --channel-2: #4fc0ad; --channel-3: #e8da90; --channel-4: #b5487f;
    --channel-5: #a5dcf7; --channel-6: #3f9a5c; --channel-7: #e6b0e0; --channel-8: #77772a;
    --m1: #3a2012; --m2: #5f2c10; --m3: #8f3f10; --m4: #c45a1c; --m5: #ee9256; --m6: #fcd9bf;
  }
}
main, header, footer { max-width: 66rem; }
figcaption { color: var(--faint); }
.sentences { font-size: 1.1rem; margin: 1rem 0; padding-left: 1.2rem; overflow-wrap: anywhere; }
figure { margin: 0 0 0.5rem; }
figure > div > svg { display: block; width: 100%; height: auto; }
.narrow { display: none; }
td.wrong { color: var(--faint); padding-left: 1.5rem; text-align: left; white-space: normal; overflow-wrap: anywhere; }
details { margin: 0.25rem 0 0.75rem; }
footer { margin-bottom: 2rem; font-size: 0.9rem; }
@media screen and (max-width: 40rem) {
  .wide { display: none; }
  .narrow { display: block; }
}
`;
