import { setTimeout as sleep } from 'node:timers/promises';
import type { Webhook } from 'standardwebhooks';

interface SentEvent {
  event_id: string;
  type: string;
  call_id: string;
  occurred_at: string;
  data?: object;
}

/** Sends events like a gateway: signed, and with retries while the api does not respond. */
export interface EventSender {
  readonly counts: { sent: number; taken: number; refused: number; givenUp: number };
  /** Sends in the background. */
  send(url: string, event: SentEvent): void;
  /** Sends once, and returns the status. */
  sendOnce(url: string, event: SentEvent): Promise<number>;
  /** Resolves when no event is being sent. */
  close(): Promise<void>;
}

const triesAtMost = 8;

export function createEventSender(webhook: Webhook): EventSender {
  const counts = { sent: 0, taken: 0, refused: 0, givenUp: 0 };
  const closing = new AbortController();
  const inFlight = new Set<Promise<void>>();

  async function sendOnce(url: string, event: SentEvent): Promise<number> {
    const body = JSON.stringify(event);
    const at = new Date();
    const response = await fetch(url, {
      method: 'POST',
      body,
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(5_000)]),
      headers: {
        'content-type': 'application/json',
        'webhook-id': event.event_id,
        'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
        'webhook-signature': webhook.sign(event.event_id, at, body),
      },
    });
    await response.arrayBuffer();
    return response.status;
  }

  async function deliver(url: string, event: SentEvent): Promise<void> {
    counts.sent += 1;
    for (let tried = 0; tried < triesAtMost; tried++) {
      const status = await sendOnce(url, event).catch(() => 0);
      if (closing.signal.aborted) return;
      if (status >= 200 && status < 300) return void (counts.taken += 1);
      // A 4xx would be repeated. A 5xx or no answer is retried.
      if (status >= 400 && status < 500) return void (counts.refused += 1);
      await sleep(250 * 2 ** Math.min(tried, 3), null, { signal: closing.signal }).catch(() => null);
    }
    counts.givenUp += 1;
  }

  return {
    counts,
    sendOnce,
    send(url, event) {
      const work = deliver(url, event).finally(() => inFlight.delete(work));
      inFlight.add(work);
    },
    async close() {
      closing.abort();
      await Promise.allSettled(inFlight);
    },
  };
}
