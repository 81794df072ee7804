/** Seconds by which the time of a message may differ from ours. */
const TOLERANCE = 300;

/** The message is not one of the service, was changed on its way, or is too old. */
export class WebhookVerificationError extends Error {
  /** Name of the class. */
  override readonly name: string = "WebhookVerificationError";
}

/** An event that the service sends to a webhook. */
export interface WebhookEvent {
  /** `companies.changed` or `webhook.test`. */
  readonly type: string;
  /** When it was queued. */
  readonly timestamp: string;
  /** Its content: the id of the watchlist, and changes as the change log gives them. */
  readonly data: unknown;
}

/** Options of {@link verifyWebhook}. */
export interface VerifyWebhookOptions {
  /** Seconds by which the time of the message may differ from `now`; 300 by default. */
  readonly tolerance?: number;
  /** Seconds since the epoch; by default the time. */
  readonly now?: number;
}

/**
 * Returns the event of a message to a webhook, once its signature is verified (Standard Webhooks 1.0). Keep the
 * `webhook-id` of each message for some days: one that comes again was delivered before. Needs Web Crypto: Node 20 and
 * later, browsers, edge runtimes.
 *
 * @param body - The body as it came, byte for byte.
 * @param headers - The header fields.
 * @param secret - The secret of the webhook (`whsec_…`), or several while one replaces another.
 * @throws {@link WebhookVerificationError} when it is not genuine, or too old.
 */
export async function verifyWebhook(
  body: string | Uint8Array,
  headers: Headers | Record<string, string>,
  secret: string | readonly string[],
  options: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const fields = headers instanceof Headers ? headers : new Headers(headers);
  const id = fields.get("webhook-id");
  const timestamp = fields.get("webhook-timestamp") ?? "";
  const signatures = fields.get("webhook-signature");
  if (!id || !signatures || !/^\d+$/.test(timestamp)) {
    throw new WebhookVerificationError("webhook-id, webhook-timestamp or webhook-signature is missing");
  }
  const now = options.now ?? Date.now() / 1000;
  if (Math.abs(now - Number(timestamp)) > (options.tolerance ?? TOLERANCE)) {
    throw new WebhookVerificationError("the message is too old, or a clock is wrong");
  }
  const utf8 = new TextEncoder();
  const text = typeof body === "string" ? utf8.encode(body) : body;
  const signed = Uint8Array.from([...utf8.encode(`${id}.${timestamp}.`), ...text]);
  for (const text64 of typeof secret === "string" ? [secret] : secret) {
    const { subtle } = crypto;
    const usage = { name: "HMAC", hash: "SHA-256" };
    const key = await subtle.importKey("raw", decoded(text64.replace(/^whsec_/, "")), usage, false, ["verify"]);
    for (const signature of signatures.split(" ")) {
      const [version, digest = ""] = signature.split(",");
      // `verify` compares in constant time.
      if (version === "v1" && (await subtle.verify("HMAC", key, decoded(digest), signed))) {
        return JSON.parse(new TextDecoder().decode(text)) as WebhookEvent;
      }
    }
  }
  throw new WebhookVerificationError("no signature is that of the secret");
}

function decoded(base64: string): Uint8Array<ArrayBuffer> {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw new WebhookVerificationError("the secret or a signature is not base64");
  }
}
