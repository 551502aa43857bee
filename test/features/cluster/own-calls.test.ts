import { describe, expect, it } from "vitest";
import { EXIT } from "../../../src/base/errors.ts";
import { parseClusterUrl } from "../../../src/config/cluster-url.ts";
import { startServer, text } from "../../support/services/server.ts";
import { makeCall } from "../../support/warehouses/calls.ts";
import { closedWarehouse } from "../../support/warehouses/warehouse.ts";
import { publishAccount } from "./publish-account.ts";

function makeAccount(at: string, caller_id: string) {
  const call = makeCall({ call_id: 41, caller_id, call_started: "2026-11-10T10:00:00.000Z" });
  const account = closedWarehouse([call], { at });
  account.change(({ sqlite }) => sqlite.exec("UPDATE origin SET base_url = 'https://api.example.com'"));
  return account;
}

describe("publish", () => {
  it("sends nothing to a cluster of an account whose calls an earlier account has, too", async () => {
    await using cluster = await startServer(text("", 500));
    using austin = makeAccount("2026-11-12T06:00:00.000Z", "+493012341");
    using dallas = makeAccount("2026-11-16T06:00:00.000Z", "+493012341");
    using elgin = makeAccount("2026-11-17T06:00:00.000Z", "+493012342");
    const accounts = Object.entries({ austin, dallas, elgin }).map(([account, { database }]) => ({
      account,
      database,
    }));
    const publish = async (account: string, { database }: typeof austin) => {
      const before = cluster.requests.length;
      const error: unknown = await publishAccount({
        ...{ account, database, accounts, passwordFile: undefined, isPersonal: false },
        to: parseClusterUrl(`clickhouse://${cluster.url.host}/calls`),
        ...{ timezone: "UTC", lookbackHours: 72 },
      }).catch((thrown: unknown) => thrown);
      return [error, cluster.requests.length > before];
    };
    expect(await publish("dallas", dallas)).toEqual([
      expect.objectContaining({
        exitCode: EXIT.unverified,
        message: expect.stringMatching(
          /^Cannot publish dallas to clickhouse:.*The account austin has the same/,
        ),
      }),
      false,
    ]);
    for (const [name, own] of Object.entries({ austin, elgin }))
      expect(await publish(name, own)).toEqual([
        expect.not.objectContaining({ exitCode: EXIT.unverified }),
        true,
      ]);
  });
});
