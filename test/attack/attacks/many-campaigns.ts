import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { makeCampaign, runCampaign } from '../../bench/engine/campaign.ts';
import type { World } from '../../bench/engine/world.ts';
import type { Attack } from '../attack.ts';
import { idOf, someNumber, type Tenant } from '../tenant.ts';
import type { AttackWorld } from '../world.ts';

/** More than a worker has transactions at once. */
const heldCampaigns = 6;
/** Time to start and to lock all of them. */
const beginsAfterMs = 5_000;
const waitingWithinMs = 60_000;
const oneMoreWithinMs = 1_000;
/** A dial of the other organization takes a fraction of it. */
const dialedWithinMs = 30_000;
const lookEveryMs = 20;

export const manyCampaigns: Attack = {
  name: 'many-campaigns',
  does: 'a tenant starts campaigns of one person each without end, and another lets all its dials wait for a long change of its campaigns',
  isLight: true,
  perSecond: 60,
  async begin(world) {
    const { attacker } = world;
    return {
      async send() {
        const campaign = await oneOfOnePerson(attacker);
        await attacker.send(`PUT ${campaign}/status`, { json: { status: 'running' } });
      },
      async figures() {
        const { waiting, dialed } = await besideHeldDials(world);
        return [
          { what: 'dials of one organization that wait', measured: waiting, unit: '', atLeast: 1 },
          { what: 'dials of another one meanwhile', measured: dialed, unit: '', atLeast: 1 },
        ];
      },
    };
  },
  withoutProtection: [
    {
      file: 'packages/engine/src/dial/dialer.ts',
      find: 'waits ? deps.held : transactions',
      replace: 'transactions',
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

/** How many dials wait for the campaigns of their organization, which a transaction holds, and how many of another organization pass. */
async function besideHeldDials({
  third,
  neighbour,
}: AttackWorld): Promise<{ waiting: number; dialed: number }> {
  const { db, organizationId } = third;
  const campaign = await oneOfOnePerson(neighbour);
  const startDate = new Date(Date.now() + beginsAfterMs);
  for (let firstNumber = 0; firstNumber < heldCampaigns; firstNumber++) {
    await runCampaign(third, await makeCampaign(third, { recipients: 1, lines: 1, firstNumber, startDate }));
  }
  return db.transaction().execute(async (tx) => {
    await sql`update campaigns set updated_at = updated_at where organization_id = ${organizationId}`.execute(
      tx,
    );
    await atLeast(1, waitingWithinMs, () => dialsThatWait(third));
    // If they waited in the turns of all, they would take them now.
    const waiting = await atLeast(4, oneMoreWithinMs, () => dialsThatWait(third));
    await neighbour.send(`PUT ${campaign}/status`, { json: { status: 'running' } });
    const campaignId = campaign.slice(campaign.lastIndexOf('/') + 1);
    const calls = db.selectFrom('calls').select('id').where('campaign_id', '=', campaignId);
    const dialed = await atLeast(1, dialedWithinMs, async () => {
      return (await calls.where('gated_at', 'is not', null).execute()).length;
    });
    return { waiting, dialed };
  });
}

/** Statements of the worker that wait for a lock. */
async function dialsThatWait({ db }: World): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name = 'outdial-worker' and wait_event_type = 'Lock'`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

/** The last value that was read, when it has become large enough or the time is over. */
async function atLeast(wanted: number, withinMs: number, read: () => Promise<number>): Promise<number> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const value = await read();
    if (value >= wanted || performance.now() > giveUpAt) return value;
    await sleep(lookEveryMs);
  }
}
