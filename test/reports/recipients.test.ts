import { describe, expect, it } from "vitest";
import { assertRecipients, recipientsOf } from "../../src/reports/recipients.ts";
import { nameReport } from "./named-report.ts";

const mail = (to: string) => ({ email: { to: [to] } });
const account = (...recipients: object[]) => ({
  base_url: "https://api.example.com",
  token_file: "token",
  ...(recipients.length > 0 && { recipients }),
});

describe("recipientsOf", () => {
  it("returns the recipients of the account for `to: account`, and no others", () => {
    const hook = { webhook: { url_file: "hook.url" } };
    using named = nameReport(
      { accounts: ["acme", "beta"], deliver: [{ to: "account" }] },
      {
        top: {
          accounts: {
            acme: account(mail("a@acme.example"), hook),
            beta: { ...account(mail("b@beta.example")), base_url: "https://beta.example.com" },
          },
        },
        account: "beta",
        calls: null,
      },
    );
    const found = (name: string) =>
      recipientsOf(named.report, name).map(({ content, placeOf }) => [
        content,
        placeOf().replace(/.*: /, ""),
      ]);
    expect(found("beta")).toEqual([[mail("b@beta.example"), "accounts.beta.recipients[0]"]]);
    expect(found("acme")).toEqual([
      [mail("a@acme.example"), "accounts.acme.recipients[0]"],
      [hook, "accounts.acme.recipients[1]"],
    ]);
  });

  it("keeps the recipients of the report in order, with their places", () => {
    using named = nameReport(
      { accounts: ["acme"], deliver: [mail("own@agency.example"), { to: "account" }] },
      { top: { accounts: { acme: account(mail("a@acme.example")) } }, account: "acme", calls: null },
    );
    const places = recipientsOf(named.report, "acme").map(({ placeOf }) =>
      placeOf("email").replace(/.*: /, ""),
    );
    expect(places).toEqual(["reports.weekly.deliver[0].email", "accounts.acme.recipients[0].email"]);
  });

  it("fails for an account without recipients", () => {
    using named = nameReport(
      { accounts: ["acme"], deliver: [{ to: "account" }] },
      { top: { accounts: { acme: account(mail("a@acme.example")) } }, account: "acme", calls: null },
    );
    expect(() => recipientsOf(named.report, null)).toThrow("deliver[0].to: the account has no recipients");
  });
});

describe("assertRecipients", () => {
  it("refuses reports of which none has recipients", () => {
    using without = nameReport({}, { calls: null });
    using named = nameReport({ deliver: [{ command: ["true"] }] }, { calls: null });
    expect(() => assertRecipients([without.report])).toThrow(
      /^Cannot deliver weekly: it has no recipients in .*calltally\.yaml$/,
    );
    expect(() => assertRecipients([without.report, named.report])).not.toThrow();
  });
});
