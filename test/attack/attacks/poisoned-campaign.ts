import { sql } from 'kysely';
import type { Attack } from '../attack.ts';
import { idOf, someNumber } from '../tenant.ts';

export const poisonedCampaign: Attack = {
  name: 'poisoned-campaign',
  does: 'a tenant has a campaign whose every step fails, and asks for it again and again',
  async begin({ attacker, db }) {
    const phone = someNumber();
    // As Postgres refuses a value that it cannot keep.
    await sql
      .raw(
        `create or replace function refuse_poison() returns trigger language plpgsql as $$
         begin raise exception 'no such value' using errcode = '22023'; end $$`,
      )
      .execute(db);
    await sql.raw('drop trigger if exists poisoned on campaign_recipients').execute(db);
    await sql
      .raw(
        `create trigger poisoned before update on campaign_recipients for each row
         when (old.phone_number = '${phone}' and new.state = 'claimed') execute function refuse_poison()`,
      )
      .execute(db);
    const made = await attacker.send('POST /api/v1/campaigns', {
      json: { name: 'Poisoned', agent_id: attacker.agentId, phone_numbers: [phone], status: 'paused' },
    });
    const campaignId = idOf(made);
    const json = { call_on_weekend: true };
    await attacker.send(`PUT /api/v1/campaigns/${campaignId}/config`, { json });
    const startedAt = performance.now();
    return {
      async send() {
        for (const status of ['paused', 'running']) {
          await attacker.send(`PUT /api/v1/campaigns/${campaignId}/status`, { json: { status } });
        }
      },
      async figures() {
        const { failures, last_error: lastError } = await db
          .selectFrom('campaign_runtime')
          .select(['failures', 'last_error'])
          .where('campaign_id', '=', campaignId)
          .executeTakeFirstOrThrow();
        await sql.raw('drop trigger if exists poisoned on campaign_recipients').execute(db);
        const seconds = (performance.now() - startedAt) / 1_000;
        return [
          { what: 'tries of the poisoned campaign', measured: failures / seconds, unit: 'times', atMost: 5 },
          { what: 'whether operators see why', measured: lastError === null ? 0 : 1, unit: '', atLeast: 1 },
        ];
      },
    };
  },
  perSecond: 2,
  withoutProtection: [
    {
      file: 'db/src/engine/failures.ts',
      find: "2 ^ least(rt.failures, 10)) * interval '1 second'",
      replace: "least(rt.failures, 0)) * interval '1 second'",
    },
  ],
};
