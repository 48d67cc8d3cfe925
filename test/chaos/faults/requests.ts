import { setTimeout as sleep } from 'node:timers/promises';
import type { CampaignConfigBody } from '@outdial/contracts';
import { addSuppressions, engineNow } from '@outdial/db';
import { sql } from 'kysely';
import { firstUnknownNumber } from '../gateway/behaviour.ts';
import { RefusedRequestError } from '../../support/stack/http-client.ts';
import { again } from '../stack/again.ts';
import type { ChaosStack } from '../stack/chaos-stack.ts';

/** Requests that overlap with dials. */
export const requestKinds = [
  'suppress-numbers',
  'withdraw-and-return',
  'take-call-backs-away',
  'set-a-pace',
  'cancel-a-campaign',
  'correct-unknown-calls',
  'deliver-jobs-twice',
] as const;
export type RequestKind = (typeof requestKinds)[number];

/** The gates that an answered request forbids, from the instant of its answer on, by the database's clock. */
export interface Forbidden {
  what: string;
  campaignId: string;
  /** Only for these numbers. */
  phones?: ReadonlySet<string>;
  /** Only for attempts with a higher number. */
  attemptsAbove?: number;
  /** Only for this attempt, and not if its call is placed again. */
  begunAttempt?: number;
  /** The number of gates allowed per second; by default none. */
  perSecond?: number;
  fromMs: number;
  /** The last instant at which the change was certainly still in force. */
  untilMs: number;
}

/** Makes requests, and records the gates that they forbid. */
export interface RequestLog {
  readonly forbidden: readonly Forbidden[];
  /** False if there was nothing to request. */
  make(stack: ChaosStack, kind: RequestKind, durationMs: number): Promise<boolean>;
}

const campaignSize = 12;
const someOf = 5;
/** How long to look for several calls to correct. */
const callsWithinMs = 20_000;
/** How long to look for a first one, or for a campaign whose jobs can be published again: other faults and a busy machine delay them. */
const firstWithinMs = 90_000;
const firstNumber = 8_000_000;

export function createRequestLog(): RequestLog {
  const forbidden: Forbidden[] = [];
  let made = 0;

  /** A separate campaign for the request, so that it affects no other request. */
  async function campaign(stack: ChaosStack, config: CampaignConfigBody = {}, from = firstNumber) {
    made += 1;
    const name = `request ${made}`;
    const phones = Array.from(
      { length: campaignSize },
      (_, n) => `+1555${String(from + made * campaignSize + n)}`,
    );
    const client = stack.organization.clients.admin;
    const { id } = await again('create a campaign', async () => {
      // The answer to an earlier try may have been lost when the api was killed.
      const known = stack.db.selectFrom('campaigns').select('id').where('name', '=', name);
      const fields = { name, agent_id: stack.organization.agentId, phone_numbers: phones };
      return (
        (await known.executeTakeFirst()) ??
        (await client.createCampaign({ ...fields, additional_params: { timezone: 'UTC' } }))
      );
    });
    const whole = { call_on_weekend: true, call_back_attempts: 1, retry_delay_seconds: 1, ...config };
    await again('configure a campaign', () => client.setConfig(id, whole));
    await again('run a campaign', () => client.setStatus(id, 'running'));
    return { id, phones };
  }

  async function take(stack: ChaosStack, kind: RequestKind, durationMs: number): Promise<boolean> {
    const { db } = stack;
    const client = stack.organization.clients.admin;
    const clockMs = () => again('read the clock', async () => (await engineNow(db)).getTime());
    const forever = { untilMs: Number.POSITIVE_INFINITY };
    switch (kind) {
      case 'suppress-numbers': {
        const { id, phones } = await campaign(stack);
        await sleep(durationMs);
        for (const phoneNumber of phones.slice(0, someOf)) {
          await again('suppress a number', () =>
            addSuppressions(db, {
              organizationId: stack.organization.id,
              suppressions: [{ phoneNumber, reason: null }],
            }),
          );
          forbidden.push({
            what: 'a suppression',
            campaignId: id,
            phones: new Set([phoneNumber]),
            fromMs: await clockMs(),
            ...forever,
          });
        }
        return true;
      }
      case 'withdraw-and-return': {
        const { id, phones } = await campaign(stack);
        await sleep(durationMs);
        if (!(await unlessOver(() => client.setStatus(id, 'paused')))) return false;
        const pausedMs = await clockMs();
        await unlessOver(() => client.updateCampaign(id, { phone_numbers: phones.slice(someOf) }));
        forbidden.push({ what: 'a pause', campaignId: id, fromMs: pausedMs, untilMs: await clockMs() });
        await unlessOver(() => client.setStatus(id, 'running'));
        const fromMs = await clockMs();
        await sleep(durationMs);
        const untilMs = await clockMs();
        const away = new Set(phones.slice(0, someOf));
        forbidden.push({ what: 'a withdrawal', campaignId: id, phones: away, fromMs, untilMs });
        if (!(await unlessOver(() => client.setStatus(id, 'paused')))) return true;
        await unlessOver(() => client.updateCampaign(id, { phone_numbers: phones }));
        await unlessOver(() => client.setStatus(id, 'running'));
        return true;
      }
      case 'take-call-backs-away': {
        const { id } = await campaign(stack, { call_back_attempts: 3, retry_delay_seconds: 0 });
        await sleep(durationMs);
        if (!(await unlessOver(() => client.setConfig(id, { call_back_attempts: 0 })))) return false;
        const fromMs = await clockMs();
        forbidden.push({ what: 'no call-backs', campaignId: id, attemptsAbove: 1, fromMs, ...forever });
        return true;
      }
      case 'set-a-pace': {
        const { id } = await campaign(stack);
        await sleep(durationMs);
        if (!(await unlessOver(() => client.setConfig(id, { calls_per_second: 2 })))) return false;
        const fromMs = await clockMs();
        forbidden.push({ what: 'a pace', campaignId: id, perSecond: 2, fromMs, ...forever });
        return true;
      }
      case 'cancel-a-campaign': {
        const { id } = await campaign(stack);
        await sleep(durationMs);
        if (!(await unlessOver(() => client.setStatus(id, 'canceled')))) return false;
        forbidden.push({ what: 'a cancel', campaignId: id, fromMs: await clockMs(), ...forever });
        return true;
      }
      case 'correct-unknown-calls': {
        const { id } = await campaign(
          stack,
          { call_back_attempts: 3, retry_delay_seconds: 0, retry_on: ['unknown'] },
          firstUnknownNumber,
        );
        const until = performance.now() + durationMs;
        let corrected = 0;
        do {
          for (const call of await correctUnknown(stack, id)) {
            corrected += 1;
            forbidden.push({
              what: 'a correction',
              campaignId: call.campaign_id,
              phones: new Set([call.phone_number]),
              // Forbids only the next attempt. If that one had begun earlier, it continues, and its outcome decides about further attempts.
              begunAttempt: call.attempt + 1,
              fromMs: await clockMs(),
              ...forever,
            });
          }
          await sleep(20);
        } while (
          performance.now() < until ||
          (corrected < someOf && performance.now() < until + callsWithinMs) ||
          (corrected === 0 && performance.now() < until + firstWithinMs)
        );
        return corrected > 0;
      }
      case 'deliver-jobs-twice':
        return deliverTwice(stack, durationMs);
    }
  }
  return { forbidden, make: take };
}

/** False if the campaign has ended. */
async function unlessOver(request: () => Promise<unknown>): Promise<boolean> {
  return again('change a campaign', async () => {
    try {
      await request();
      return true;
    } catch (error) {
      if (error instanceof RefusedRequestError && error.status === 409) return false;
      throw error;
    }
  });
}

interface UnknownCall {
  id: string;
  campaign_id: string;
  phone_number: string;
  attempt: number;
}

/** Corrects calls of unknown outcome with late events, calls of a campaign first; returns the corrected calls. */
async function correctUnknown(
  { db, gateway, publicUrl }: ChaosStack,
  campaignId: string,
): Promise<UnknownCall[]> {
  const calls = await again('find unknown calls', async () => {
    const { rows } = await sql<UnknownCall>`
      select id, campaign_id, phone_number, attempt from calls where outcome = 'unknown' and corrected_at is null
      order by campaign_id = ${campaignId} desc, ended_at limit 50`.execute(db);
    return rows;
  });
  // A gateway sends no events for a call that it never accepted.
  const accepted = calls
    .filter(({ id }) => (gateway.calls.get(id)?.acceptedAtMs ?? null) !== null)
    .slice(0, someOf);
  for (const { id: callId } of accepted) {
    await again('correct a call', async () => {
      const status = await gateway.events.sendOnce(`${publicUrl}/provider-events/gateway`, {
        event_id: `correction-${callId}`,
        type: 'call.ended',
        call_id: callId,
        occurred_at: (await engineNow(db)).toISOString(),
        data: { outcome: 'completed', duration: 3 },
      });
      if (status >= 300) throw new Error(`the event was answered with ${status}`);
    });
  }
  return accepted;
}

/** Publishes the advances of running campaigns again and again for some time, and until there was at least one. */
async function deliverTwice({ db, publishAdvances }: ChaosStack, forMs: number): Promise<boolean> {
  const until = performance.now() + forMs;
  let published = 0;
  do {
    const running = await db
      .selectFrom('campaigns')
      .select('id as campaign_id')
      .where('status', '=', 'running')
      .limit(20)
      .execute()
      .catch(() => []);
    if (await publishAdvances([...running, ...running])) published += running.length;
    await sleep(10);
  } while (performance.now() < until || (published === 0 && performance.now() < until + firstWithinMs));
  return published > 0;
}
