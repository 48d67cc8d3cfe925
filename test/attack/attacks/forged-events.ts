import { randomUUID } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { Attack } from '../attack.ts';
import { idOf, someNumber } from '../tenant.ts';
import { gateways } from '../world.ts';

export const forgedEvents: Attack = {
  name: 'forged-events',
  does: 'a gateway signs the end, the transcript and the cost of a call that another gateway carries',
  async begin({ neighbour, api, db }) {
    const made = await neighbour.send(`POST /api/v1/agents/${neighbour.agentId}/call`, {
      json: { to_phone: someNumber() },
    });
    const callId = idOf(made);
    await db
      .updateTable('calls')
      .set({ provider: gateways.neighbours.name })
      .where('id', '=', callId)
      .execute();
    let taken = 0;
    return {
      async send() {
        const id = randomUUID();
        const body = JSON.stringify({
          event_id: id,
          type: 'call.ended',
          call_id: callId,
          occurred_at: new Date().toISOString(),
          data: { outcome: 'completed', cost: 999, transcript: 'forged' },
        });
        const at = new Date();
        const signature = new Webhook(gateways.attackers.secret).sign(id, at, body);
        for (const { name } of Object.values(gateways)) {
          const answer = await fetch(`${api.url}/provider-events/${name}`, {
            method: 'POST',
            headers: {
              'Content-Type': 'application/json',
              'webhook-id': id,
              'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
              'webhook-signature': signature,
            },
            body,
          });
          await answer.body?.cancel();
          if (answer.ok) taken += 1;
        }
      },
      figures: async () => [
        {
          what: 'events about another gateway’s call that were accepted',
          measured: taken,
          unit: 'requests',
          atMost: 0,
        },
      ],
    };
  },
  withoutProtection: [
    {
      file: 'api/src/routes/provider-events/receive.ts',
      find: 'return uuid.safeParse(callId).success && (await findCallProvider(deps.db, callId)) === name;',
      replace:
        'return uuid.safeParse(callId).success && (await findCallProvider(deps.db, callId)) !== name + "?";',
    },
  ],
};
