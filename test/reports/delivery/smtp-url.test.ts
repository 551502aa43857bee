import { describe, expect, it } from "vitest";
import { parseSmtpUrl } from "../../../src/reports/delivery/smtp-url.ts";

describe("parseSmtpUrl", () => {
  it("reads host, port, login and sender", () => {
    expect(parseSmtpUrl(" smtp://calls%40example.com:p%2Fw%25@mail.example.com\n")).toEqual({
      host: "mail.example.com",
      port: 587,
      isImplicitTls: false,
      isLocal: false,
      login: { user: "calls@example.com", password: "p/w%" },
      from: { name: "", address: "calls@example.com" },
    });
    expect(
      parseSmtpUrl("smtps://apikey:secret@mail.example.com?from=Acme%20Calls%20%3Ccalls@example.com%3E"),
    ).toMatchObject({
      port: 465,
      isImplicitTls: true,
      from: { name: "Acme Calls", address: "calls@example.com" },
    });
    expect(parseSmtpUrl("smtp://[::1]:2525?from=a@b.example")).toMatchObject({
      host: "::1",
      port: 2525,
      isLocal: true,
      login: undefined,
    });
  });

  it("takes the sender that is given separately from the URL", () => {
    const from = { name: "Acme", address: "c@d.example" };
    expect(parseSmtpUrl("smtp://mail.example.com/?from=a@b.example", "Acme <c@d.example>").from).toEqual(
      from,
    );
  });

  it.each([
    ["mail.example.com", "is not a URL"],
    ["https://mail.example.com", "must start with smtp://"],
    ["smtp://SECRET@mail.example.com?from=a@b.example", "both user and password"],
    ["smtp://:SECRET@mail.example.com?from=a@b.example", "both user and password"],
    ["smtp://user:SECRET@mail.example.com", "one address"],
    ["smtp://mail.example.com", "must name the sender: add"],
    ["smtp:///?from=a@b.example", "has no host"],
    ["smtp://mail.example.com/?from=a@b.example#SECRET", "neither path nor fragment"],
    ["smtp://mail.example.com?from=Calls%00%20%3Ca@b.example%3E", "one address"],
    ["smtp://mail.example.com?from=a@b.example,c@d.example", "one address"],
    ["smtp://mail.example.com?from=a@b.example%0d%0aBcc:e@f.example", "one address"],
    ["smtp://u@x.example:SECRET%zz@mail.example.com", "write it as %25"],
    ["smtp://mail.example.com/SECRET?from=a@b.example", "neither path nor fragment"],
    ["smtp://mail.example.com?from=a@b.example&tls=SECRET", "no parameter except from"],
  ])("refuses %s without showing it", (text, says) => {
    const read = () => parseSmtpUrl(text);
    expect(read).toThrow(says);
    expect(read).not.toThrow("SECRET");
  });
});
