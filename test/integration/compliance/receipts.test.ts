import { createHash } from 'node:crypto';
import {
  addPrompt,
  addToScrubList,
  gateConditions,
  inTransaction,
  updateCallerId,
  updateOrganization,
} from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { addConfirmedCallerId } from '../../support/confirmed-caller-id.ts';
import { giveConsent } from '../../support/give-consent.ts';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { runCampaign } from '../engine/campaign.ts';

const berlin = '+493012345678';
/** A Tuesday, 13:00 in Berlin. */
const startAt = '2027-03-02T12:00:00Z';

async function world() {
  const stack = await useStack({ backend: anyBackend(), startAt });
  const organization = await stack.organization({ person_caps: { calls: [{ calls: 1, hours: 24 }] } });
  const now = await stack.clock.now();
  await inTransaction(stack.db, (tx) =>
    updateOrganization(tx, organization.id, { calling_policy: 'strict' }, now),
  );
  await giveConsent(stack.db, organization.id, [berlin]);
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
        rules: [{ jurisdiction: 'DE', version: 2, zones: ['Europe/Berlin'] }],
        window: { opens_at: '2027-03-02T08:00:00.000Z', closes_at: '2027-03-02T17:00:00.000Z' },
        calling_hours: { opens_at: '2027-03-02T07:00:00.000Z', closes_at: '2027-03-02T19:00:00.000Z' },
        campaign: { start_time: '09:00' },
      },
      person: { calls: [{ calls: 1, hours: 24, made: 0 }], last_call_at: null },
      consent: { basis: 'prior_express_written' },
      suppression: null,
      refusals: null,
    });
    expect(receipt.grounds?.zones[0]?.local_time).toMatch(/^2027-03-02T13:0/);
    const { conditions } = receipt;
    expect(conditions.filter(({ verdict }) => verdict === 'fails')).toEqual([]);
    const verdicts = Object.fromEntries(conditions.map((one) => [one.condition, one.verdict]));
    expect(verdicts).toMatchObject({
      calling_hours: 'holds',
      person_capped: 'holds',
      suppressed: 'holds',
      no_consent: 'holds',
      no_line_in_time: 'not_applicable',
    });
  });

  test('claims the conditions of the release whose gate decided, and none if that is not known', async () => {
    const { stack, organization, manager } = await world();
    const campaign = await runCampaign(stack, organization, { phone_numbers: [berlin] });
    const [dial] = await campaign.dialed(1);
    const callId = dial?.callId ?? '';
    expect((await manager.readReceipt(callId)).conditions).toHaveLength(gateConditions.length);
    // As an earlier release, which knew one condition, would have written it.
    const suppressed = { reason: 'suppressed', text: 'The number is on no list.', applies_if: 'always' };
    const content = { conditions: [suppressed], time_zones: '2020a', area_codes: 'ab' };
    await sql`
      with release as (
        insert into gate_releases (id, content, created_at) values (new_id(), ${JSON.stringify(content)}::jsonb, engine_now())
        returning id),
      grounds as (
        insert into gate_grounds (id, organization_id, content, release_id)
        select new_id(), g.organization_id, g.content, release.id
        from release, gate_grounds g join calls c on c.grounds_id = g.id where c.id = ${callId} returning id)
      update calls c set grounds_id = grounds.id from grounds where c.id = ${callId}`.execute(stack.db);
    const receipt = await manager.readReceipt(callId);
    expect(receipt.conditions).toEqual([
      { condition: 'suppressed', verdict: 'holds', text: suppressed.text },
    ]);
    expect(receipt.release).toMatchObject({ time_zones: '2020a' });
    await sql`update calls set grounds_id = null where id = ${callId}`.execute(stack.db);
    expect(await manager.readReceipt(callId)).toMatchObject({ conditions: [], release: null });
  });

  test('keeps what was true at the gate: attestation, prompt, disclosure, recording, and the version of a scrub list', async () => {
    const { stack, organization, manager } = await world();
    const { db } = stack;
    const { agentId } = organization;
    await inTransaction(db, (tx) =>
      addToScrubList(tx, {
        organizationId: organization.id,
        name: 'robinson',
        source: 'a registry',
        account: '4711',
        scrubbedAt: new Date('2027-03-01T12:00:00Z'),
        phoneNumbers: ['+493099999992', '+493099999991', '+493099999992'],
        isComplete: true,
        isChecked: true,
      }),
    );
    const callerId = await addConfirmedCallerId(db, organization.id, {
      phone_number: '+493011111111',
      country: 'DE',
      attestation: 'B',
    });
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: [berlin] },
      { scrub_lists: ['robinson'] },
    );
    const [dial] = await campaign.dialed(1);
    await campaign.finished();
    const key = { organizationId: organization.id, callerId };
    const now = await stack.clock.now();
    await inTransaction(db, (tx) => updateCallerId(tx, { ...key, change: { attestation: 'A' }, now }));
    await addPrompt(db, { organizationId: organization.id, agentId, level: 1, prompt: 'Another prompt.' });
    await sql`update scrub_lists set source = 'another', account = null`.execute(db);
    const prompt = await db.selectFrom('agent_prompts').selectAll().orderBy('id').executeTakeFirstOrThrow();
    const contentHash = createHash('sha256').update('+493099999991\n+493099999992').digest('hex');
    expect(await manager.readReceipt(dial?.callId ?? '')).toMatchObject({
      attestation: 'B',
      prompt: { sha256: createHash('sha256').update(prompt.prompt).digest('hex') },
      disclosure: { language: 'en', heard_at: null },
      recording: 'announced',
      scrub_lists: [
        { name: 'robinson', source: 'a registry', account: '4711', numbers: 2, content_hash: contentHash },
      ],
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
