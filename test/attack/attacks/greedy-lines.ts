import { addPrompt, createAgent } from '@outdial/db';
import { sql } from 'kysely';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { idOf, someNumber, type Tenant } from '../tenant.ts';
import { sharedProvider, type AttackWorld } from '../world.ts';

/** Enough that each tenant wants every line for the whole attack. */
const recipients = 8_000;
const directCallsAtOnce = 80;
const dialingWithinMs = 20_000;
const lookEveryMs = 50;
/** A new call counts as ten seconds of line time at once (`lineChargeSeconds`), so the shares become equal only within tens of seconds. */
const longMs = 60_000;

export const greedyLines: Attack = {
  name: 'greedy-lines',
  needsQuiet: true,
  seconds: 24,
  does: 'a tenant dials with the highest priority, and 80 direct calls at a time, over four lines that both share',
  async begin(world) {
    const [attackers, neighbours] = await Promise.all([
      dialOverShared(world, world.attacker, { priority: 1_000_000 }),
      dialOverShared(world, world.neighbour, {}),
    ]);
    const begunAt = performance.now();
    const stop = new AbortController();
    const lines = watchLines(world, neighbours, stop.signal);
    let waiting = 0;
    return {
      async send() {
        if (waiting >= directCallsAtOnce) return;
        waiting += 1;
        await world.attacker.send(`POST /api/v1/agents/${attackers}/call`, {
          role: 'member',
          json: { to_phone: someNumber() },
        });
        waiting -= 1;
      },
      async figures() {
        stop.abort();
        const { own, all } = await lines;
        return [
          {
            what: 'the neighbour’s share of lines, against half of them',
            measured: own / (all / 2),
            unit: 'times',
            atLeast: performance.now() - begunAt >= longMs ? 0.9 : 0.75,
          },
        ];
      },
    };
  },
  withoutProtection: [
    {
      file: 'packages/core/src/organization-share.ts',
      find: 'if (others.length === 0) return Math.max(0, free);',
      replace: 'if (others.length >= 0) return Math.max(0, free);',
    },
  ],
};

/** Returns an agent whose campaign has begun to dial. */
async function dialOverShared({ db }: AttackWorld, tenant: Tenant, config: object): Promise<string> {
  const { organizationId } = tenant;
  const telephony = { provider: sharedProvider };
  const agentId = await createAgent(db, { organizationId, name: 'Shares lines', config: { telephony } });
  await addPrompt(db, { organizationId, agentId, level: 1, prompt: 'Call.' });
  const campaign = `/api/v1/campaigns/${idOf(
    await tenant.send('POST /api/v1/campaigns', {
      json: {
        name: 'Long',
        agent_id: agentId,
        phone_numbers: Array.from({ length: recipients }, someNumber),
        status: 'paused',
      },
    }),
  )}`;
  await tenant.send(`PUT ${campaign}/config`, {
    json: { max_concurrent_calls: 1_000, call_on_weekend: true, ...config },
  });
  await tenant.send(`PUT ${campaign}/status`, { json: { status: 'running' } });
  const giveUpAt = performance.now() + dialingWithinMs;
  while (!(await hasCalled({ db }, agentId))) {
    if (performance.now() > giveUpAt) throw new Error('a campaign does not begin to dial');
    await sleep(50);
  }
  return agentId;
}

async function hasCalled({ db }: Pick<AttackWorld, 'db'>, agentId: string): Promise<boolean> {
  const query = db.selectFrom('calls').select('id').where('agent_id', '=', agentId);
  return (await query.where('gated_at', 'is not', null).executeTakeFirst()) !== undefined;
}

/** Polls the lines in use: those of one agent's campaign, and all lines of the provider. */
async function watchLines(
  { db }: AttackWorld,
  agentId: string,
  signal: AbortSignal,
): Promise<{ own: number; all: number }> {
  const seen = { own: 0, all: 0 };
  while (!signal.aborted) {
    const { rows } = await sql<{ own: number; all: number }>`
      select rt.lines_in_use as own, p.lines_in_use as all
      from providers p, campaign_runtime rt join campaigns c on c.id = rt.campaign_id
      where p.name = ${sharedProvider} and c.agent_id = ${agentId}`.execute(db);
    for (const { own, all } of rows) {
      seen.own += own;
      seen.all += all;
    }
    await sleep(lookEveryMs);
  }
  return seen;
}
