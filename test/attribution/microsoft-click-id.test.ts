import { describe, expect, it } from "vitest";
import { microsoftClickId } from "../../src/attribution/microsoft-click-id.ts";

describe("microsoftClickId", () => {
  it.each([
    { url: "https://shop.example/?msclkid=a1B", extra: null, id: "a1B" },
    { url: "https://shop.example/?utm_source=x&MSCLKID=a1#msclkid=b", extra: null, id: "a1" },
    { url: "https://shop.example/?msclkid=%20a%2B1", extra: null, id: "%20a%2B1" },
    { url: "https://shop.example/?msclkid= a1 ", extra: null, id: "a1" },
    { url: "https://shop.example/?msclkid=a&b", extra: null, id: "a" },
    { url: "https://shop.example/?xmsclkid=a", extra: null, id: null },
    { url: "https://shop.example/msclkid=a", extra: null, id: null },
    { url: "https://shop.example/?msclkid=", extra: '{"msclkid":"b"}', id: "b" },
    { url: "https://shop.example/?msclkid={msclkid}", extra: '{"msclkid":"b"}', id: "b" },
    { url: "https://shop.example/?msclkid=a", extra: '{"msclkid":"b"}', id: "a" },
    { url: null, extra: '{"dni_data":{"clicks":[{"gclid":"x"},{"msclkid":" b "}]}}', id: "b" },
    { url: null, extra: '{"a":{"msclkid":"null"},"b":{"msclkid":"c"},"msclkid":"d"}', id: "c" },
    { url: null, extra: '{"msclkid":{"msclkid":"e"}}', id: "e" },
    { url: null, extra: '{"msclkid":5,"note":null}', id: null },
    { url: null, extra: '{"note":"msclkid"}', id: null },
    { url: null, extra: '{"other":"b"}', id: null },
    { url: null, extra: null, id: null },
  ])("of $url and $extra is $id", ({ url, extra, id }) => {
    expect(microsoftClickId(url, extra)).toBe(id);
  });

  it("does not read JSON that cannot have one", () => {
    expect(microsoftClickId(null, "{ no JSON")).toBeNull();
  });
});
