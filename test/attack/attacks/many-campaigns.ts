import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { confirmCallerId, engineNow, inTransaction, lockCallerIds } from '@outdial/db';
import { makeCampaign, runCampaign } from '../../bench/engine/campaign.ts';
import type { World } from '../../bench/engine/world.ts';
import type { Attack } from '../attack.ts';
import { idOf, someNumber, type Tenant } from '../tenant.ts';
import type { AttackWorld } from '../world.ts';

/** Enough that dialing all of them takes longer than starting one more campaign. */
const campaignsAtOnce = 150;
/** Of those that wait when the other campaign starts. It is a few if organizations take turns, and all of them in one line. */
const shareAtMost = 0.5;
const dialedWithinMs = 60_000;
const lookEveryMs = 5;

export const manyCampaigns: Attack = {
  name: 'many-campaigns',
  does: 'a tenant starts campaigns of one person each without end, and another lets 150 begin at once',
  isLight: true,
  perSecond: 60,
  async begin(world) {
    const { attacker } = world;
    const prepared = waitingCampaigns(world);
    // Thrown by `figures`, unless the run failed before.
    prepared.catch(() => undefined);
    return {
      async send() {
        const campaign = await oneOfOnePerson(attacker);
        await attacker.send(`PUT ${campaign}/status`, { json: { status: 'running' } });
      },
      figures: async () => [
        {
          what: 'campaigns dialed before one of another organization that started later, of those that waited then',
          measured: await shareDialedBefore(world, await prepared),
          unit: 'times',
          atMost: shareAtMost,
        },
      ],
    };
  },
  withoutProtection: [
    {
      file: 'packages/engine/src/dial/dialer.ts',
      find: 'let dialed = await transactions.run(organizationId, transaction);',
      replace: "let dialed = await transactions.run('', transaction);",
    },
    {
      file: 'packages/contracts/src/jobs/advance-campaign.ts',
      find: '  turnOf: (payload) => payload.organization_id,\n',
      replace: '',
    },
  ],
};

async function oneOfOnePerson(tenant: Tenant): Promise<string> {
  const made = await tenant.send('POST /api/v1/campaigns', {
    json: { name: 'One', agent_id: tenant.agentId, phone_numbers: [someNumber()], status: 'paused' },
  });
  const campaign = `/api/v1/campaigns/${idOf(made)}`;
  await tenant.send(`PUT ${campaign}/config`, { json: { call_on_weekend: true } });
  return campaign;
}

/**
 * Campaigns that wait for the only caller id of their organization. Organizations with caller ids dial each campaign in a transaction of its own. Returns
 * what lets all of them begin.
 */
async function waitingCampaigns({ api, third }: AttackWorld): Promise<() => Promise<void>> {
  const setState = await callerIdOf(third, api.url);
  await setState('resting');
  for (let firstNumber = 0; firstNumber < campaignsAtOnce; firstNumber++) {
    await runCampaign(third, await makeCampaign(third, { recipients: 1, lines: 1, firstNumber }));
  }
  return () => setState('active');
}

async function shareDialedBefore(
  { third, neighbour }: AttackWorld,
  begin: () => Promise<void>,
): Promise<number> {
  const campaign = await oneOfOnePerson(neighbour);
  await begin();
  const dialed = await until(async () => (await dialedUntil(third, null)) || null);
  await neighbour.send(`PUT ${campaign}/status`, { json: { status: 'running' } });
  const campaignId = campaign.slice(campaign.lastIndexOf('/') + 1);
  const calls = third.db.selectFrom('calls').select('gated_at').where('campaign_id', '=', campaignId);
  const gatedAt = await until(async () => (await calls.executeTakeFirst())?.gated_at ?? null);
  return ((await dialedUntil(third, gatedAt)) - dialed) / (campaignsAtOnce - dialed);
}

/** Adds a confirmed caller id. Returns what sets its state. */
async function callerIdOf(
  { db, organizationId, apiKey }: World,
  url: string,
): Promise<(state: string) => Promise<void>> {
  const phoneNumber = `+1212${randomInt(2_000_000, 9_000_000)}`;
  const send = async (method: string, path: string, body: object): Promise<string> => {
    const headers = { 'X-API-Key': apiKey, 'Content-Type': 'application/json' };
    const answer = await fetch(url + path, { method, headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} was refused with ${answer.status}: ${text}`);
    return /"id":"([0-9a-f-]{36})"/.exec(text)?.[1] ?? '';
  };
  const id = await send('POST', '/api/v1/caller-ids', { phone_number: phoneNumber, calls_per_day: 10_000 });
  await inTransaction(db, async (tx) => {
    await lockCallerIds(tx, organizationId);
    await confirmCallerId(tx, { organizationId, phoneNumber, now: await engineNow(tx) });
  });
  return async (state) => void (await send('PUT', `/api/v1/caller-ids/${id}`, { state }));
}

/** How many calls of the organization had passed the gate before that instant, or now. */
async function dialedUntil({ db, organizationId }: World, at: Date | null): Promise<number> {
  const calls = db
    .selectFrom('calls')
    .select(({ fn }) => fn.countAll<string>().as('count'))
    .where('organization_id', '=', organizationId)
    .where('gated_at', at === null ? 'is not' : '<', at);
  return Number((await calls.executeTakeFirstOrThrow()).count);
}

async function until<Value>(read: () => Promise<Value | null>): Promise<Value> {
  const giveUpAt = performance.now() + dialedWithinMs;
  while (performance.now() < giveUpAt) {
    const value = await read();
    if (value !== null) return value;
    await sleep(lookEveryMs);
  }
  throw new Error(`not within ${dialedWithinMs / 1_000} s`);
}
