import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { presentText } from "../../../src/calls/attribution/call-text.ts";
import { toReferringHost } from "../../../src/calls/attribution/referring-host.ts";

/** Without what ends the credentials by the URL standard: a password has that percent-encoded. */
const password = fc.string({ unit: fc.constantFrom(..."sECR3T:@%&=; é\t.", "%2F", "%23"), maxLength: 8 });
const anything = fc.string({ unit: "grapheme", maxLength: 20 });

describe("toReferringHost", () => {
  it.each([
    ["https://www.google.com/search?q=plumber#top", "google.com"],
    ["https://user:p@ss@host/x", "host"],
    ["user:p@ss@host", "host"],
    ["https://user:p%2Fss@host/reset/token?to=jane@example.com#@b", "host"],
    ["https://host/@52.5,13.4?to=a@b", "host"],
    ["https://user@l.facebook.com:443/", "l.facebook.com"],
    ["HTTP:\\\\Example.COM\\path", "example.com"],
    ["//cdn.example.com/a", "cdn.example.com"],
    ["http:example.com", "example.com"],
    ["android-app://Com.Google.Android.gm/", "com.google.android.gm"],
    ["android-app://com.google.android.gm/__inbox__", "com.google.android.gm"],
    ["https://www../", "www."],
    ["ios-app://544007664/https/example.com", "544007664"],
  ])("of %s is %s", (url, host) => {
    expect(toReferringHost(url)).toBe(host);
  });

  it.each([
    ["www.example.com/path", "example.com"],
    [" WWW.Example.com ", "example.com"],
    ["example.com?utm_source=a", "example.com"],
    ["example.com:8080/path", "example.com"],
    ["localhost:3000", "localhost"],
    ["Bücher.example/path", "xn--bcher-kva.example"],
    ["192.168.0.1/path", "192.168.0.1"],
    ["[2001:DB8::1]:80/path", "[2001:db8::1]"],
    ["direct", "direct"],
    ["1example.com:/path", "1example.com"],
    ["host/path:/more", "host"],
  ])("of %s without a scheme is %s", (url, host) => {
    expect(toReferringHost(url)).toBe(host);
  });

  it.each([
    null,
    "",
    " ",
    "null",
    "(not set)",
    "{referrer}",
    "/landing/page",
    "\\landing",
    "?gclid=secret",
    "#top",
    "gclid=secret&utm_source=google",
    "search results",
    "12345",
    "0x7f.1",
    "https:",
    "https://",
    "https://example.com:port/",
    "https://exa mple.com/",
    "https://example.com /",
    "http://[::1",
    "http://1.2.3.256/",
    "file:///C:/page.html",
    "about:blank",
    "data:/text",
    "javascript:void(0)",
    "blob:https://example.com/5",
    "about:80",
    "blob:x@host.example",
    "callto:493077",
    "callto:4930",
    "data:,a@host.example",
    "javascript:a@host.example",
    "mailto:anna@host.example",
    "MailTo:anna@host.example?subject=x",
    "mail\tto:anna@host.example",
    "sip:anna@host.example",
    "sips:anna@host.example",
    "sms:493",
    "tel:493",
    "tel://493077",
    "xmpp:anna@host.example",
  ])("of %j is null", (url) => {
    expect(toReferringHost(url)).toBeNull();
  });

  it.each([
    {
      host: "example.com",
      spellings: [
        "http://example.com",
        "https://EXAMPLE.com:8443/",
        "ftp://www.example.com/",
        "https://example.com./",
        "https://www.example.com.",
        "https://ｅｘａｍｐｌｅ．ｃｏｍ/",
        "https://example。com/",
        "https://ex%61mple%2Ecom/",
        "https://exam\u00adple.com/",
        "https:/example.com",
        "https:///example.com",
        "hTTps://ex\nample.com/",
        "http://\t/example.com/a",
        "Example.com.",
      ],
    },
    {
      host: "xn--mnchen-3ya.example",
      spellings: [
        "https://münchen.example/",
        "https://MÜNCHEN.example/",
        "https://mu\u0308nchen.example/",
        "https://m%C3%BCnchen.example/",
        "https://XN--MNCHEN-3YA.example/",
        "www.münchen.example",
      ],
    },
    {
      host: "127.0.0.1",
      spellings: [
        "http://127.0.0.1",
        "http://127.1/",
        "http://0x7f.0.0.1:80/",
        "http://2130706433/",
        "http://0177.0.0.1/",
        "http://127.0.0.1./",
        "http://１２７.0.0.1",
      ],
    },
    {
      host: "[2001:db8::1]",
      spellings: ["http://[2001:db8::1]/", "http://[2001:0DB8:0:0:0:0:0:1]:80/", "[2001:db8:0::1]"],
    },
  ])("returns $host for each spelling", ({ host, spellings }) => {
    expect(spellings.map(toReferringHost)).toEqual(spellings.map(() => host));
  });

  it("returns the same for hosts that are equal by the URL standard", () => {
    const letters = [
      "e",
      "E",
      "ｅ",
      "%65",
      "%45",
      "é",
      "É",
      "e\u0301",
      "%C3%A9",
      "ß",
      "ẞ",
      "0",
      "０",
      "\u00ad",
    ];
    const label = fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 2 });
    const name = fc
      .tuple(label, fc.constantFrom(".", "。", "%2e", "．"), fc.constantFrom("com", "COM", "ｃom"))
      .map(([letters, dot, top]) => `a${letters.join("")}${dot}${top}`);
    let equal = 0;
    fc.assert(
      fc.property(name, name, (a, b) => {
        const [first, second] = [URL.parse(`http://${a}`)?.hostname, URL.parse(`http://${b}`)?.hostname];
        expect(toReferringHost(`https://${a}/`)).toBe(first ?? null);
        expect(toReferringHost(a)).toBe(first ?? null);
        if (first === undefined || first !== second) return;
        equal++;
        expect(toReferringHost(`http://${a}:81/`)).toBe(toReferringHost(`https://${b}./path`));
      }),
      { numRuns: 1000 },
    );
    expect(equal).toBeGreaterThan(10);
  });

  it("finds the host, though credentials, path or query have a macro that was not filled in", () => {
    expect(toReferringHost("https://u:\t@host.example/__0__")).toBe("host.example");
    expect(toReferringHost("https://host.\r\nexample/?kw=__0__")).toBe("host.example");
    expect(toReferringHost("https://u%%s%%:a@b@host.example/")).toBe("host.example");
  });

  it("contains no credentials, path, query or fragment", () => {
    const schemes = fc.constantFrom("https://", "http:\\\\", "//", "ftp:", "android-app://", "");
    const rests = fc.tuple(fc.constantFrom("/", "?", "#"), anything).map((parts) => parts.join(""));
    fc.assert(
      fc.property(schemes, password, password, rests, (scheme, user, secret, rest) => {
        // A text with a macro that was not filled in is no value, unless it begins with a scheme and a host.
        const isAddress = scheme.endsWith("://") || presentText(`u${user}:${secret}@${rest}`) !== null;
        fc.pre(isAddress && (scheme.endsWith("://") || presentText(`host.example${rest}`) !== null));
        expect(toReferringHost(`${scheme}u${user}:${secret}@host.example${rest}`)).toBe("host.example");
        expect(toReferringHost(`${scheme}host.example${rest}`)).toBe("host.example");
      }),
      { numRuns: 1000 },
    );
  });
});
