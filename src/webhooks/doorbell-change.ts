import { UsageError } from "../base/errors.ts";
import { type Doorbell, SECRET_PARAMETER } from "../config/doorbell.ts";
import { checkWebhookChange, type WebhookChange } from "./change-webhook.ts";

/**
 * Returns the change that makes a webhook ring the doorbell of `calltally schedule`.
 *
 * @param body other changes
 * @throws UsageError where it does not say which static parameters the webhook keeps
 */
export function toDoorbellChange(id: number, url: string, body: object, { secret }: Doorbell): WebhookChange {
  const rest = { ...body, webhook_endpoint: url, method: "POST", format: "JSON" };
  const { static_parameters: parameters } = checkWebhookChange(id, "PATCH", rest).body;
  if (parameters === undefined) {
    throw new UsageError(
      `Cannot add the secret to the static parameters of webhook ${id}: a change replaces the whole list, and what is in it cannot be read here`,
      {
        hint: "Repeat those to keep with --static-parameter name=value; without any, --clear-static-parameters.",
      },
    );
  }
  const others = parameters.filter(({ field_name }) => field_name !== SECRET_PARAMETER);
  const static_parameters = [...others, { field_name: SECRET_PARAMETER, field_value: secret }];
  return checkWebhookChange(id, "PATCH", { ...rest, static_parameters });
}
