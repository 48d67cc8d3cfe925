import { inTransaction, updateOrganization } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { untilAtRest } from '../../support/stack/campaign-watch.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { runCampaign } from '../engine/campaign.ts';

const berlin = '+493012345678';
/** A Tuesday, 13:00 in Berlin. */
const startAt = '2027-03-02T12:00:00Z';

async function world() {
  const stack = await useStack({ backend: anyBackend(), startAt });
  const organization = await stack.organization({ personCaps: { calls: [{ calls: 1, hours: 24 }] } });
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) =>
    updateOrganization(tx, organization.id, { callingPolicy: 'strict' }, now),
  );
  return { stack, organization, manager: organization.clients.manager };
}

describe('a receipt', () => {
  test('says by which rules, clocks, windows and counts a call was allowed, also after all of them have changed', async () => {
    const { stack, organization, manager } = await world();
    const campaign = await runCampaign(stack, organization, {
      phone_numbers: [berlin],
      start_date: '2027-03-01T00:00:00Z',
      start_time: '09:00',
      end_time: '18:00',
      additional_params: { timezone: 'Europe/Berlin' },
    });
    const [dial] = await campaign.dialed(1);
    await campaign.finished();
    await sql`update organizations set calling_policy = 'none'`.execute(stack.db);
    await sql`delete from person_caps`.execute(stack.db);
    await sql`update campaign_recipients set calling_key = 'UTC'`.execute(stack.db);
    await sql`update campaigns set start_time = '00:00', revision = revision + 1`.execute(stack.db);
    const receipt = await manager.readReceipt(dial?.callId ?? '');
    expect(receipt).toMatchObject({
      decision: 'dialed',
      decided_at: dial?.gatedAt.toISOString(),
      phone_number: berlin,
      grounds: {
        calling_policy: 'strict',
        calling_key: 'strict:DE',
        zones: [{ zone: 'Europe/Berlin' }],
        rules: [{ jurisdiction: 'DE', version: 1, zones: ['Europe/Berlin'] }],
        window: { opens_at: '2027-03-02T08:00:00.000Z', closes_at: '2027-03-02T17:00:00.000Z' },
        calling_hours: { opens_at: '2027-03-02T07:00:00.000Z', closes_at: '2027-03-02T19:00:00.000Z' },
        campaign: { start_time: '09:00' },
      },
      person: { calls: [{ calls: 1, hours: 24, made: 0 }], last_call_at: null },
      consent: null,
      suppression: null,
      refusals: null,
    });
    expect(receipt.grounds?.zones[0]?.local_time).toMatch(/^2027-03-02T13:00:/);
    const { conditions } = receipt;
    expect(conditions.filter(({ verdict }) => verdict === 'fails')).toEqual([]);
    const verdicts = Object.fromEntries(conditions.map((one) => [one.condition, one.verdict]));
    expect(verdicts).toMatchObject({
      calling_hours: 'holds',
      person_capped: 'holds',
      suppressed: 'holds',
      no_consent: 'not_applicable',
      no_line_in_time: 'not_applicable',
    });
  });

  test("of a direct call names the rules of its number's place", async () => {
    const { stack, organization, manager } = await world();
    const { id } = await organization.clients.member.makeCall(organization.agentId, { to_phone: berlin });
    await waitFor('the call to be dialed', async () => {
      const { rows } = await sql`select from calls where gated_at is not null`.execute(stack.db);
      return rows.length === 1;
    });
    expect(await manager.readReceipt(id ?? '')).toMatchObject({
      campaign_id: null,
      decision: 'dialed',
      grounds: { calling_key: 'strict:DE', window: null, campaign: null, rules: [{ jurisdiction: 'DE' }] },
      person: { calls: [{ made: 0 }] },
    });
  });
});

describe('refusals', () => {
  test('are counted by condition, and the last is stored in full', async () => {
    const { stack, organization, manager } = await world();
    const first = await runCampaign(stack, organization, { phone_numbers: [berlin] });
    await first.finished();
    const second = await runCampaign(stack, organization, { phone_numbers: [berlin] });
    await untilAtRest(stack.db, second.id);
    const { id } = await stack.db
      .selectFrom('campaign_recipients')
      .select('id')
      .where('campaign_id', '=', second.id)
      .executeTakeFirstOrThrow();
    expect(await manager.explainRecipient(second.id, id)).toMatchObject({
      decision: 'would_refuse',
      refused_by: 'person_capped',
      waiting_for: 'person_cap',
      person: { calls: [{ calls: 1, hours: 24, made: 1 }] },
      refusals: {
        total: 1,
        by_condition: { person_capped: 1 },
        last: {
          condition: 'person_capped',
          grounds: { calling_key: 'strict:DE' },
          person: { calls: [{ made: 1 }] },
        },
      },
    });
  });
});
