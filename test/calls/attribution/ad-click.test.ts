import { describe, expect, it } from "vitest";
import { findAdClick } from "../../../src/calls/attribution/ad-click.ts";
import { makeCall } from "../../support/warehouses/calls.ts";

const MSCLKID = { platform: "microsoft", by: "msclkid", gclsrc: null };

describe("findAdClick", () => {
  it.each([
    [{ platform: "google", by: "gclid", id: "Cj", gclsrc: null }, { gclid: " Cj " }],
    [
      { platform: "google", by: "gclid", id: "Cj", gclsrc: "aw.ds" },
      { gclid: "Cj", gclsrc: "AW.DS" },
    ],
    [
      { platform: "other", by: "gclid", id: "Cj", gclsrc: "3p.ds" },
      { gclid: "Cj", gclsrc: " 3P.ds " },
    ],
    [
      { ...MSCLKID, id: "b", gclsrc: "3p.ds" },
      { gclid: "Cj", gclsrc: "3p.ds", extra: '{"msclkid":"b"}' },
    ],
    [
      { platform: "google", by: "gbraid", id: "0A", gclsrc: null },
      { extra: '{"dni_data":{"gbraid":"0A"}}', referring_url: "https://google.com/" },
    ],
    [{ platform: "google", by: "wbraid", id: "Cl", gclsrc: null }, { extra: '{"WBRAID":"Cl"}' }],
    [
      { platform: "google", by: "gbraid", id: "0AAA", gclsrc: null },
      { referring_url: "https://www.plumber.example/?gad_source=1&gbraid=0AAA" },
    ],
    [
      { platform: "google", by: "gclid", id: "Cj", gclsrc: "aw.ds" },
      { referring_url: "https://a.example/?gbraid=0A&gclid=Cj&gclsrc=aw.ds" },
    ],
    [
      { platform: "other", by: "gclid", id: "Cj", gclsrc: "3p.ds" },
      { referring_url: "https://a.example/?gclid=Cj&gclsrc=3p.ds" },
    ],
    [
      { ...MSCLKID, id: "b" },
      { gclid: "{gclid}", extra: '{"msclkid":"b"}' },
    ],
    [null, { gclsrc: "aw.ds" }],
    [null, {}],
  ])("returns %s for %j", (click, members) => {
    expect(findAdClick(makeCall(members))).toEqual(click);
  });

  it.each([
    { referring_url: "https://shop.example/?msclkid=a1B", extra: null, id: "a1B" },
    { referring_url: "https://shop.example/?utm_source=x&MSCLKID=a1#msclkid=b", extra: null, id: "a1" },
    { referring_url: "https://shop.example/?msclkid=%20a%2B1", extra: null, id: "%20a%2B1" },
    { referring_url: "https://shop.example/?msclkid= a1 ", extra: null, id: "a1" },
    { referring_url: "https://shop.example/?msclkid=a&b", extra: null, id: "a" },
    { referring_url: "https://shop.example/?msclkid=&msclkid=b", extra: null, id: "b" },
    { referring_url: "https://shop.example/?xmsclkid=a", extra: null, id: undefined },
    { referring_url: "https://shop.example/msclkid=a", extra: null, id: undefined },
    { referring_url: "https://shop.example/#?msclkid=a", extra: null, id: undefined },
    { referring_url: "https://shop.example/?msclkid=%7Bmsclkid%7D", extra: null, id: undefined },
    { referring_url: "https://shop.example/?msclkid=", extra: '{"msclkid":"b"}', id: "b" },
    { referring_url: "https://shop.example/?msclkid=a", extra: '{"msclkid":"b"}', id: "b" },
    { referring_url: null, extra: '{"dni_data":{"clicks":[{"id":"x"},{"msclkid":" b "}]}}', id: "b" },
    { referring_url: null, extra: '{"a":{"msclkid":"null"},"b":{"msclkid":"c"},"msclkid":"d"}', id: "c" },
    { referring_url: null, extra: '{"msclkid":{"msclkid":"e"}}', id: "e" },
    { referring_url: null, extra: '{"msclkid":{"type":"string"}}', id: undefined },
    { referring_url: null, extra: '{"msclkid":5,"note":null}', id: undefined },
    { referring_url: null, extra: '{"note":"msclkid"}', id: undefined },
    { referring_url: null, extra: '{"other":"b"}', id: undefined },
  ])("returns the id $id for $referring_url and $extra", ({ id, ...members }) => {
    expect(findAdClick(makeCall(members))?.id).toBe(id);
  });

  it("ignores JSON that cannot contain a click id", () => {
    expect(findAdClick(makeCall({ extra: "{ no JSON" }))).toBeNull();
  });
});
