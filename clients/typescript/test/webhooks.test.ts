import { describe, expect, it } from "vitest";
import table from "../../webhooks.json" with { type: "json" };
import { verifyWebhook, WebhookVerificationError } from "../src/index";

describe("messages to webhooks", () => {
  for (const given of table.cases) {
    it(given.name, async () => {
      const headers = {
        "Webhook-Id": given.id,
        "Webhook-Timestamp": given.timestamp,
        "Webhook-Signature": given.signature,
      };
      const event = verifyWebhook(given.body, headers, given.secret, { now: given.now });
      if (given.valid) {
        expect(await event).toEqual(JSON.parse(given.body));
      } else {
        await expect(event).rejects.toBeInstanceOf(WebhookVerificationError);
      }
    });
  }
});
