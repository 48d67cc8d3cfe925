import { setTimeout as sleep } from 'node:timers/promises';
import type { Webhook } from 'standardwebhooks';
import type { Call } from './kept-calls.ts';

/** Sends the state of a call to Outdial, and retries until Outdial accepts it or refuses it permanently. False if it did neither. */
export async function sendEvent(webhook: Webhook, call: Call, stopped: AbortSignal): Promise<boolean> {
  const { call_id, state, data, occurred_at, events_url } = call;
  const event_id = `${call_id}:${state}`;
  const body = JSON.stringify({ event_id, type: `call.${state}`, call_id, occurred_at, data });
  for (let pauseMs = 500; pauseMs <= 64_000 && !stopped.aborted; pauseMs *= 2) {
    const at = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': event_id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': webhook.sign(event_id, at, body),
    };
    const status = await fetch(events_url, { method: 'POST', headers, body, signal: stopped }).then(
      (answer) => answer.status,
      () => 0,
    );
    // A 4xx other than 429 is permanent. Anything else but a 2xx is retried.
    if (status >= 200 && status < 500 && status !== 429) return true;
    await sleep(pauseMs, null, { signal: stopped }).catch(() => null);
  }
  return false;
}
