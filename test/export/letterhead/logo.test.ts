import { mkdirSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cleanSvg } from "../../../src/export/letterhead/clean-svg.ts";
import { readLogo, toDataUrl } from "../../../src/export/letterhead/logo.ts";
import { makePng } from "../../support/logo.ts";
import { makeTempFolder } from "../../support/temp-folder.ts";

const OPEN = '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink"';

describe("cleanSvg", () => {
  it("keeps shapes, gradients, styles and references within the drawing", () => {
    const drawing = `<?xml version="1.0"?><!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/x.dtd">
<!-- Made by hand --><svg viewBox='0 0 10 10' xmlns="http://www.w3.org/2000/svg"><defs><style>.a{fill:url(#g)}</style>
<linearGradient id="g"><stop offset="1" stop-color="#fff"/></linearGradient></defs><path class="a" d="M0 0h9"/>
<use xlink:href="#p" href="#q"/><text>A &amp; B &#x3c;&#128640;</text></svg>
`;
    expect(cleanSvg(drawing)).toBe(`${OPEN} viewBox="0 0 10 10"><defs><style>.a{fill:url(#g)}</style>
<linearGradient id="g"><stop offset="1" stop-color="#fff"/></linearGradient></defs><path class="a" d="M0 0h9"/>
<use xlink:href="#p" href="#q"/><text>A &amp; B &lt;🚀</text></svg>`);
  });

  it("leaves out scripts, handlers, animations and what editors keep", () => {
    const drawing = `<svg onload="steal()" xmlns:ink="http://inkscape.example" ink:version="1"><script>steal()</script>
<script><![CDATA[if (1 < 2) steal()]]></script><ink:view><rect/></ink:view><metadata><a>x</a></metadata>
<rect OnClick="steal()" width="1"><animate attributeName="x"/><set attributeName="onclick" to="steal()"/></rect></svg>`;
    expect(cleanSvg(drawing).replace(/\n/g, "")).toBe(`${OPEN}><rect width="1"></rect></svg>`);
  });

  it.each([
    ['<svg><image href="http://tracker.example/1.png"/></svg>', "it has <image>"],
    ["<svg><foreignObject><p>x</p></foreignObject></svg>", "it has <foreignObject>"],
    ['<svg><a xlink:href="javascript:steal()"><rect/></a></svg>', "it has <a>"],
    ['<svg><use xlink:href="http://x.example/#a"/></svg>', 'it has xlink:href="http://x.example/#a"'],
    ['<svg><use href="&#106;avascript:steal()"/></svg>', 'it has href="javascript:steal()"'],
    ['<svg><use href="data:image/svg+xml,x"/></svg>', 'it has href="data:image/svg+xml,x"'],
    ['<svg><rect fill="url(http://x.example/#a)"/></svg>', "it has fill that may load something"],
    ['<svg><rect style="fill:u\\72l(//x.example)"/></svg>', "it has style that may load something"],
    ["<svg><style>@import '//x.example/a.css';</style></svg>", "it has a style that may load something"],
    [
      "<svg><style><![CDATA[a{fill:url(//x.example)}]]></style></svg>",
      "it has a style that may load something",
    ],
    ['<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', "it has entities"],
    ["<svg>&a;</svg>", "it has entities"],
    ["<svg><g></svg></g>", "it is neither a PNG nor a well-formed SVG"],
    ["<svg><rect/>", "it is neither a PNG nor a well-formed SVG"],
    ["<svg/><svg/>", "it is neither a PNG nor a well-formed SVG"],
    ["<html></html>", "it is neither a PNG nor a well-formed SVG"],
    ["", "it is neither a PNG nor a well-formed SVG"],
    ["<svg><!-- never closed</svg>", "it is neither a PNG nor a well-formed SVG"],
    [`<svg>${'<use href="#a"/>'.repeat(17)}</svg>`, "it has more than 16 elements <use>"],
    [`<svg>${"<g>".repeat(5000)}${"</g>".repeat(5000)}</svg>`, "it has more than 5000 elements"],
  ])("refuses %.60s", (drawing, message) => {
    expect(() => cleanSvg(drawing)).toThrow(new Error(message));
  });

  it("returns the same for what it has cleaned", () => {
    const clean = cleanSvg('<svg onload="x"><text>"a" &lt; b</text><path d="M0 0"/></svg>');
    expect(cleanSvg(clean)).toBe(clean);
  });
});

describe("readLogo", () => {
  it("reads a PNG as it is, and an SVG as it was cleaned", () => {
    using folder = makeTempFolder();
    const [png, svg] = [join(folder.path, "a.png"), join(folder.path, "a.svg")];
    writeFileSync(png, makePng());
    writeFileSync(svg, '\uFEFF<svg onload="x"/>');
    expect(toDataUrl(readLogo(png))).toBe(`data:image/png;base64,${makePng().toString("base64")}`);
    const { type, base64 } = readLogo(svg);
    expect([type, Buffer.from(base64, "base64").toString()]).toEqual(["image/svg+xml", `${OPEN}/>`]);
  });

  it.each([
    ["dangling.png", () => {}, "Cannot read the logo FILE: no such file or directory"],
    ["folder.png", (path: string) => mkdirSync(path), "Cannot use the logo FILE: it is not a file"],
    [
      "large.png",
      (path: string) => {
        writeFileSync(path, makePng());
        truncateSync(path, 40_000_000);
      },
      "Cannot use the logo FILE: it has 40000 kB; the maximum is 256 kB",
    ],
    [
      "wide.png",
      (path: string) => writeFileSync(path, makePng({ width: 100_000, height: 2 })),
      "Cannot use the logo FILE: it has 100000 × 2 pixels; the maximum is 2000 × 2000",
    ],
    [
      "tall.png",
      (path: string) => writeFileSync(path, makePng({ width: 3, height: 90_000 })),
      "Cannot use the logo FILE: it has 3 × 90000 pixels; the maximum is 2000 × 2000",
    ],
    [
      "empty.png",
      (path: string) => writeFileSync(path, makePng({ width: 0 })),
      "Cannot use the logo FILE: it has no pixels",
    ],
    [
      "cut.png",
      (path: string) => writeFileSync(path, makePng().subarray(0, -4)),
      "Cannot use the logo FILE: it is not a whole PNG",
    ],
    [
      "short.png",
      (path: string) => writeFileSync(path, makePng().subarray(0, 20)),
      "Cannot use the logo FILE: it is not a whole PNG",
    ],
    [
      "photo.jpg",
      (path: string) => writeFileSync(path, Buffer.from([0xff, 0xd8, 0xff, 0xe0])),
      "Cannot use the logo FILE: it is neither a PNG nor an SVG in UTF-8",
    ],
    [
      "page.svg",
      (path: string) => writeFileSync(path, "<html/>"),
      "Cannot use the logo FILE: it is neither a PNG nor a well-formed SVG",
    ],
  ])("refuses %s", (name, make, message) => {
    using folder = makeTempFolder();
    const path = join(folder.path, name);
    make(path);
    expect(() => readLogo(path)).toThrow(message.replace("FILE", path));
  });
});
