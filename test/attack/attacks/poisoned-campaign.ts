import { sql } from 'kysely';
import type { Attack } from '../attack.ts';
import { idOf, someNumber } from '../tenant.ts';

export const poisonedCampaign: Attack = {
  name: 'poisoned-campaign',
  does: 'a tenant has a campaign whose every step fails, and asks for it again and again',
  async begin({ attacker, db }) {
    const phone = someNumber();
    // Counts attempts: a sequence keeps its value when the transaction fails.
    await sql.raw('create sequence if not exists poisoned_tries').execute(db);
    await sql.raw("select setval('poisoned_tries', 1, false)").execute(db);
    // Not the fault of one person, who would be set aside.
    await sql
      .raw(
        `create or replace function refuse_poison() returns trigger language plpgsql as $$
         begin perform nextval('poisoned_tries'); raise exception 'no such value' using errcode = '55000'; end $$`,
      )
      .execute(db);
    await sql.raw('drop trigger if exists poisoned on campaign_recipients').execute(db);
    await sql
      .raw(
        `create trigger poisoned before update on campaign_recipients for each row
         when (old.phone_number = '${phone}' and new.state = 'dialing') execute function refuse_poison()`,
      )
      .execute(db);
    const made = await attacker.send('POST /api/v1/campaigns', {
      json: { name: 'Poisoned', agent_id: attacker.agentId, phone_numbers: [phone], status: 'paused' },
    });
    const campaignId = idOf(made);
    const json = { call_on_weekend: true };
    await attacker.send(`PUT /api/v1/campaigns/${campaignId}/config`, { json });
    const startedAt = performance.now();
    let turn = 0;
    return {
      async send() {
        turn += 1;
        // Only the first attempt is requested by the tenant; the engine makes the later ones.
        if (turn > 1) {
          await attacker.send(`GET /api/v1/campaigns/${campaignId}/progress`);
          return;
        }
        for (const status of ['paused', 'running']) {
          await attacker.send(`PUT /api/v1/campaigns/${campaignId}/status`, { json: { status } });
        }
      },
      async figures() {
        const { last_error: lastError } = await db
          .selectFrom('campaign_runtime')
          .select('last_error')
          .where('campaign_id', '=', campaignId)
          .executeTakeFirstOrThrow();
        const { rows } = await sql<{ tries: number }>`
          select (last_value - case when is_called then 0 else 1 end)::integer as tries from poisoned_tries`.execute(
          db,
        );
        await sql.raw('drop trigger if exists poisoned on campaign_recipients').execute(db);
        const seconds = (performance.now() - startedAt) / 1_000;
        return [
          {
            what: 'attempts at the poisoned campaign per second',
            measured: (rows[0]?.tries ?? Number.NaN) / seconds,
            unit: 'times',
            atMost: 0.6,
          },
          {
            what: 'whether operators see the error',
            measured: lastError === null ? 0 : 1,
            unit: '',
            atLeast: 1,
          },
        ];
      },
    };
  },
  isLight: true,
  perSecond: 2,
  // Three attempts, with growing waits between them.
  seconds: 12,
  withoutProtection: [
    {
      file: 'db/src/campaigns/failures.ts',
      find: "2 ^ least(rt.failures, 10)) * interval '1 second'",
      replace: "least(rt.failures, 0)) * interval '1 second'",
    },
  ],
};
