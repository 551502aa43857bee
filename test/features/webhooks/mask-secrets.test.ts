import { describe, expect, it } from "vitest";
import { maskSecrets } from "../../../src/features/webhooks/change-webhook.ts";

describe("maskSecrets", () => {
  it("hides the values of secret parameters, and no names, other values or members", () => {
    const body = {
      webhook_name: "Lead",
      static_parameters: [
        { field_name: "api_key", field_value: "value-of-key" },
        { field_name: "campaign", field_value: "api_key" },
      ],
    };
    expect(maskSecrets(body)).toEqual({
      webhook_name: "Lead",
      static_parameters: [
        { field_name: "api_key", field_value: "[hidden]" },
        { field_name: "campaign", field_value: "api_key" },
      ],
    });
    expect(body.static_parameters[0]?.field_value).toBe("value-of-key");
  });

  it.each([
    // Without a secret it stays as it was written.
    ["https://crm.example", "https://crm.example"],
    ["https://crm.example/a?b=c", "https://crm.example/a?b=c"],
    ["https://anna:word@crm.example/a?b=c", "https://anna:[hidden]@crm.example/a?b=c"],
    ["https://sk_live@crm.example/a?b=c&token=t1", "https://[hidden]@crm.example/a?b=c&token=[hidden]"],
    [
      "https://crm.example/a?secret=t1&b=c&token=t2",
      "https://crm.example/a?secret=[hidden]&b=c&token=[hidden]",
    ],
  ])("shows the address %s as %s", (webhook_endpoint, shown) => {
    expect(maskSecrets({ webhook_endpoint })).toEqual({ webhook_endpoint: shown });
  });
});
