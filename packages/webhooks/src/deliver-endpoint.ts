import type { KeyObject } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { claimDeliveries, type ClaimedDelivery, renewDeliveryLeases } from '@outdial/db';
import { createAttemptLedger, isSuccess, type AttemptLedger, type LedgerDeps } from './attempt-ledger.ts';
import type { GiveWay } from './give-way.ts';
import { eventMessage } from './message.ts';
import { signedHeaders, signingKey } from './signature.ts';
import type { Attempt, WebhookClient } from './webhook-client.ts';

export interface DeliverDeps extends LedgerDeps {
  client: WebhookClient;
  giveWay: GiveWay;
  leases?: LeaseTimes;
}

interface LeaseTimes {
  leaseSeconds: number;
  renewEveryMs: number;
}

export interface Delivered {
  delivered: number;
  failed: number;
  /** Whether something may still be due. */
  moreIsDue: boolean;
}

const claimAtOnce = 500;
const requestsAtOnce = 50;
/** For an endpoint that has been failing: enough to notice its recovery. */
const requestsAtOnceWhileFailing = 4;
/** How long the events of a killed worker, and those after them, wait for another worker. A living one renews its leases. */
const usualLeases: LeaseTimes = { leaseSeconds: 10, renewEveryMs: 3_000 };
/** Events of one subject are sent one by one, each with a deadline of 15 seconds, so that the last ones of a turn fit into the time of its job. */
const eventsOfSubjectAtOnce = 3;
/** After this time, the endpoint returns to the end of the queue, so that others get a turn. */
const turnMs = 5_000;
const writeEveryMs = 25;

/**
 * Sends the due webhooks of an endpoint, in order within each subject, for a turn of some seconds. After a crash, unrecorded attempts are
 * repeated when their lease expires: at least once.
 */
export async function deliverEndpoint(
  deps: DeliverDeps,
  { endpointId, signal }: { endpointId: string; signal: AbortSignal },
): Promise<Delivered> {
  const turnEndsAt = performance.now() + turnMs;
  const ledger = createAttemptLedger(deps, endpointId);
  const sending = new Set<Promise<void>>();
  const { leaseSeconds, renewEveryMs } = deps.leases ?? usualLeases;
  const held = new Set<string>();
  let renewedAt = performance.now();
  const mayGoOn = () => !signal.aborted && !ledger.isDisabled() && performance.now() < turnEndsAt;
  const oneIsSent = async () => {
    await Promise.race([...sending, delay(writeEveryMs)]);
    await ledger.writeWhenDue();
    if (performance.now() - renewedAt < renewEveryMs) return;
    renewedAt = performance.now();
    await renewDeliveryLeases(deps.db, { endpointId, deliveryIds: [...held], leaseSeconds });
  };
  let moreIsDue = true;

  while (moreIsDue && mayGoOn()) {
    const claimed = await claimDeliveries(deps.db, { endpointId, limit: claimAtOnce, leaseSeconds });
    if (claimed === null || claimed.deliveries.length === 0) {
      moreIsDue = claimed !== null && (sending.size > 0 || ledger.hasUnwritten());
      // Further events of the same subjects may wait behind deliveries in progress.
      while (sending.size > 0) await oneIsSent();
      await ledger.write();
      continue;
    }
    const { target } = claimed;
    const { url, secret, previous_secret: previous, failing_since: failingSince } = target;
    const keys = [secret, ...(previous?.split(' ') ?? [])].map(signingKey);
    const atOnce = failingSince === null ? requestsAtOnce : requestsAtOnceWhileFailing;
    for (const { delivery_id: id } of claimed.deliveries) held.add(id);
    const oldestMs = Math.min(...claimed.deliveries.map((event) => event.created_at.getTime()));
    await deps.giveWay({
      deliveries: claimed.deliveries.length,
      ageMs: claimed.now.getTime() - oldestMs,
      signal,
    });
    for (const group of Map.groupBy(claimed.deliveries, (delivery) => delivery.subject_id).values()) {
      while (sending.size >= atOnce) await oneIsSent();
      const sent: Promise<void> = sendGroup({ deps, url, keys, ledger, mayGoOn, signal }, group).finally(
        () => {
          sending.delete(sent);
          for (const { delivery_id: id } of group) held.delete(id);
        },
      );
      sending.add(sent);
    }
  }
  while (sending.size > 0) await oneIsSent();
  await ledger.write();
  return { ...ledger.counts(), moreIsDue };
}

interface Sending {
  deps: DeliverDeps;
  url: string;
  keys: readonly KeyObject[];
  ledger: AttemptLedger;
  mayGoOn: () => boolean;
  signal: AbortSignal;
}

/** Sends the events of one subject one after the other. Behind a failure the rest waits. */
async function sendGroup(sending: Sending, group: readonly ClaimedDelivery[]): Promise<void> {
  const { url, ledger, mayGoOn } = sending;
  let isBlocked = false;
  for (const [at, delivery] of group.entries()) {
    if (isBlocked || at >= eventsOfSubjectAtOnce || !mayGoOn()) {
      ledger.untried(delivery);
      continue;
    }
    const attempt = await send(sending, delivery);
    if (attempt.kind === 'aborted') {
      ledger.untried(delivery);
      isBlocked = true;
      continue;
    }
    ledger.tried(delivery, url, attempt);
    isBlocked = !isSuccess(attempt);
  }
}

async function send(
  { deps, url, keys, signal }: Sending,
  event: ClaimedDelivery,
): Promise<Attempt | { kind: 'aborted' }> {
  const body = JSON.stringify(eventMessage(event));
  // The time of the machine, not of the engine, because the receiver compares it with its own clock.
  const signed = signedHeaders(keys, { messageId: event.id, body, at: new Date() });
  const attempt = await deps.client.post(new URL(url), {
    headers: { 'content-type': 'application/json', 'user-agent': 'Outdial-Webhooks/1.0', ...signed },
    body,
    signal,
  });
  return signal.aborted && attempt.kind === 'no_answer' ? { kind: 'aborted' } : attempt;
}
