import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { idOf, someNumber, type Tenant } from '../tenant.ts';
import type { AttackWorld } from '../world.ts';

/** Of the attacker's, when the neighbour starts its only one. */
const waiting = 100;
const atOnce = 8;
/** The attacker's transactions in progress, and a turn for each of the neighbour's. Without turns, all of them. */
const servedFirstAtMost = 30;
const pollMs = 20;
const giveUpMs = 30_000;

export const manyCampaigns: Attack = {
  name: 'many-campaigns',
  does: 'a tenant starts campaigns of one person each, without end',
  isLight: true,
  perSecond: 60,
  async begin(world) {
    const { attacker } = world;
    return {
      async send() {
        for (const campaign of await prepare(attacker, 1)) await start(attacker, campaign);
      },
      figures: async () => [
        {
          what: `campaigns dialed before the neighbour’s one, of ${waiting} that had waited longer`,
          measured: await servedFirst(world),
          unit: '' as const,
          atMost: servedFirstAtMost,
        },
      ],
    };
  },
  withoutProtection: [
    {
      file: 'packages/contracts/src/jobs/advance-campaign.ts',
      find: '  turnOf: (payload) => payload.organization_id,\n',
      replace: '',
    },
    {
      file: 'packages/engine/src/dial/dialer.ts',
      find: 'perOrganization: transactionsOfOrganization,',
      replace: 'perOrganization: transactionsOfOrganization + 1,',
    },
    {
      file: 'packages/core/src/turns.ts',
      find: 'return difference === 0 ? one.servedAt < other.servedAt : difference < 0;',
      replace: 'return false && difference < 0;',
    },
  ],
};

/** Nobody can be dialed until all campaigns wait, so the order in which they are served decides, and not the speed of the machine. */
async function servedFirst({ attacker, neighbour, db }: AttackWorld): Promise<number> {
  const theirs = await prepare(attacker, waiting);
  const [own = ''] = await prepare(neighbour, 1);
  await db.transaction().execute(async (locking) => {
    await sql`lock table calls in share mode`.execute(locking);
    await severalAtOnce(theirs, (campaign) => start(attacker, campaign));
    await start(neighbour, own);
    await until(async () => {
      const { rows } = await sql`
        select from pg_locks where relation = 'calls'::regclass and not granted limit ${transactionsAtOnce}`.execute(
        db,
      );
      return rows.length === transactionsAtOnce;
    });
  });
  const dialedFirst = db
    .selectFrom('calls')
    .select('campaign_id')
    .where('gated_at', 'is not', null)
    .where('campaign_id', 'in', [own, ...theirs].map(idOfPath))
    .orderBy('gated_at')
    .orderBy('campaign_id');
  let served = Number.POSITIVE_INFINITY;
  await until(async () => {
    const at = (await dialedFirst.execute()).findIndex((call) => call.campaign_id === idOfPath(own));
    if (at >= 0) served = at;
    return at >= 0;
  });
  return served;
}

/** Of the worker's dialer. */
const transactionsAtOnce = 4;

/** Returns the paths of campaigns of one person that are ready to start. */
async function prepare(tenant: Tenant, count: number): Promise<string[]> {
  const paths: string[] = [];
  await severalAtOnce(Array.from({ length: count }), async () => {
    const made = await tenant.send('POST /api/v1/campaigns', {
      json: { name: 'One', agent_id: tenant.agentId, phone_numbers: [someNumber()], status: 'paused' },
    });
    const path = `/api/v1/campaigns/${idOf(made)}`;
    await tenant.send(`PUT ${path}/config`, { json: { call_on_weekend: true } });
    paths.push(path);
  });
  return paths;
}

async function start(tenant: Tenant, path: string): Promise<void> {
  await tenant.send(`PUT ${path}/status`, { json: { status: 'running' } });
}

function idOfPath(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

async function severalAtOnce<Item>(items: readonly Item[], work: (item: Item) => Promise<void>) {
  const left = items.values();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const item of left) await work(item);
    }),
  );
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  const giveUpAt = performance.now() + giveUpMs;
  while (!(await holds()) && performance.now() < giveUpAt) await sleep(pollMs);
}
