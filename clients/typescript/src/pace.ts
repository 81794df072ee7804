/**
 * The pace of the calls of one client: one gate for all of them, so that a burst keeps to the plan. Answers state what a
 * plan has left (`RateLimit`) and how long to wait (`Retry-After`); the gate lets as many calls go at once as are left,
 * and while none is, nothing until then. Calls queue before it, and only the first in the queue waits for it.
 */

import type { Quota } from "./types";

/** Seconds that a service may ask for: two of the minutes that plans count in, so that a spent one passes. */
export const LONGEST_RETRY_AFTER = 120;
/** Calls at once before the first answer, and ever. */
const UNKNOWN = 10;
const MOST = 100;

/** The gate of one client. */
export interface Gate {
  /** Resolves when a call may be sent, and counts it as sent. */
  enter(signal: AbortSignal | undefined): Promise<void>;
  /** Learns from the fields of an answer, if one came, and the seconds that it asks to wait before the next call. */
  ended(headers: Headers | null, wait: number | null): void;
}

/** Makes a gate. */
export function gate(): Gate {
  let underWay = 0;
  let left = UNKNOWN;
  let opens = 0;
  let wake = (): void => {};
  let last: Promise<unknown> = Promise.resolve();
  const leave = (): void => {
    underWay--;
    wake();
  };

  async function turn(signal: AbortSignal | undefined): Promise<void> {
    for (;;) {
      signal?.throwIfAborted();
      const wait = opens - performance.now();
      if (wait > 0) await sleep(wait, signal);
      else if (underWay < Math.max(1, left)) break;
      else await until(new Promise<void>((resolve) => (wake = resolve)), signal);
    }
    underWay++;
  }

  return {
    async enter(signal) {
      const mine = last.then(() => turn(signal));
      last = mine.catch(() => {});
      try {
        await until(mine, signal);
      } catch (error) {
        mine.then(leave, () => {});
        throw error;
      }
    },
    ended(headers, wait) {
      const plan = headers ? quotas(headers) : [];
      if (headers) left = Math.min(MOST, ...plan.map(({ remaining }) => remaining));
      const seconds = wait ?? Math.max(0, ...plan.map(({ remaining, reset }) => (remaining ? 0 : reset)));
      // Up to a tenth longer, so that clients which were refused together do not come back together.
      if (seconds <= LONGEST_RETRY_AFTER) {
        opens = Math.max(opens, performance.now() + seconds * 1000 * (1 + Math.random() / 10));
      }
      leave();
    },
  };
}

/** What an answer says is left of the plan. */
export function quotas(headers: Headers): Quota[] {
  const stated = (headers.get("RateLimit") ?? "").matchAll(/"(\w+)";r=(\d+);t=(\d+)/g);
  return [...stated].map(([, name = "", remaining, reset]) => ({ name, remaining: Number(remaining), reset: Number(reset) }));
}

/** Resolves after a time; rejects with the reason of the signal. */
export function sleep(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout>;
  const timed = new Promise<void>((resolve) => (timer = setTimeout(resolve, milliseconds)));
  return until(timed, signal).finally(() => clearTimeout(timer));
}

/** A promise that a signal may end before. */
function until<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const end = (): void => reject(signal.reason);
    if (signal.aborted) return end();
    signal.addEventListener("abort", end, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", end));
  });
}
