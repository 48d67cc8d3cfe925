import { addPrompt, createAgent, engineNow } from '@outdial/db';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Attack } from '../attack.ts';
import { idOf, someNumber, type Tenant } from '../tenant.ts';
import { sharedProvider, type AttackWorld } from '../world.ts';

/** Enough for each to want every line for longer than the attack takes. */
const recipients = 8_000;
const directCallsAtOnce = 80;
const dialingWithinMs = 20_000;
/** Half a minute's, of four lines and calls of 200 ms. */
const enoughCalls = 400;

export const greedyLines: Attack = {
  name: 'greedy-lines',
  does: 'a tenant dials with the highest priority, and 80 direct calls at a time, over four lines that both share',
  async begin(world) {
    const [attackers, neighbours] = await Promise.all([
      dialOverShared(world, world.attacker, { priority: 1_000_000 }),
      dialOverShared(world, world.neighbour, {}),
    ]);
    const begunAt = await engineNow(world.db);
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
        const own = await callsSince(world, neighbours, begunAt);
        const all = own + (await callsSince(world, attackers, begunAt));
        return [
          {
            what: 'the neighbour’s share of lines, against half of them',
            measured: own / (all / 2),
            unit: 'times',
            // Of a few seconds' calls, chance decides some.
            atLeast: all >= enoughCalls ? 0.9 : 0.7,
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

/** Gives an agent whose campaign has begun to dial. */
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
  while ((await callsSince({ db }, agentId, new Date(0))) === 0) {
    if (performance.now() > giveUpAt) throw new Error('a campaign does not begin to dial');
    await sleep(50);
  }
  return agentId;
}

async function callsSince({ db }: Pick<AttackWorld, 'db'>, agentId: string, since: Date): Promise<number> {
  const { calls } = await db
    .selectFrom('calls')
    .select(({ fn }) => fn.countAll<string>().as('calls'))
    .where('agent_id', '=', agentId)
    .where('gated_at', '>=', since)
    .executeTakeFirstOrThrow();
  return Number(calls);
}
