import type { OverlaidRule } from '@outdial/core';
import { addRuleVersion, addToScrubList, inTransaction, type Tx } from '@outdial/db';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { useFileStack } from '../../support/stack/use-stack.ts';
import { byHand, noProcesses, overlapping } from '../engine/by-hand.ts';
import { personUnder } from './person-under-policy.ts';

const stack = await useFileStack(noProcesses);
/** A Tuesday, 13:00 in Berlin. */
const noon = '2027-03-02T12:00:00Z';

let versions = 0;

/** Puts rules in force, as `outdial rules import` does. */
async function importRules(...rules: Array<Pick<OverlaidRule, 'jurisdiction'> & Partial<OverlaidRule>>) {
  versions += 1;
  const source = { version: 1, basis: 'code', citation: 'Our own rule', as_of: '2026-12-01' } as const;
  const document = {
    version: `acme-${versions}`,
    pins: {},
    rules: rules.map((rule) => ({ ...source, ...rule })),
  };
  const id = await inTransaction(stack.db, (tx) => addRuleVersion(tx, document));
  expect(id).not.toBeNull();
  return document.version;
}

async function person() {
  await importRules();
  const berliner = { phoneNumber: '+493012345678', at: noon, policy: 'standard' } as const;
  return personUnder(stack, berliner, { call_back_attempts: 9, retry_delay_seconds: 0 });
}

const closed = { weekdays: [], saturday: [], sunday: [] };

describe('rules that an operator imports', () => {
  test('are in force at the next gate of a process that runs already, and so is their removal', async () => {
    const hand = await person();
    await hand.end(await hand.dial(), 'busy');
    const version = await importRules({ jurisdiction: 'DE', ...closed });
    expect(await hand.dialAll()).toEqual([]);
    expect(await hand.explain()).toMatchObject({
      refused_by: 'calling_hours',
      grounds: { rules: [{ jurisdiction: 'DE', overlay: version }] },
    });
    const { agentId, clients } = hand.organization;
    await expect(clients.member.makeCall(agentId, { to_phone: '+493012345679' })).rejects.toMatchObject({
      code: 'outside_calling_hours',
    });
    await importRules();
    await sql`update campaign_recipients set next_attempt_at = engine_now() where campaign_id = ${hand.campaignId}`.execute(
      stack.db,
    );
    await hand.dial();
  });

  test('close a place for an emergency, and until then and after it people are called', async () => {
    const hand = await person();
    await importRules({
      jurisdiction: 'DE',
      emergencies: [{ from: '2027-03-02T12:30:00Z', to: '2027-03-03T09:00:00Z', reason: 'a flood' }],
    });
    await hand.end(await hand.dial(), 'busy');
    await stack.clock.set('2027-03-02T12:31:00Z');
    expect(await hand.dialAll()).toEqual([]);
    const explained = await hand.explain();
    expect(explained).toMatchObject({
      refused_by: 'calling_hours',
      next_calling_hours_at: '2027-03-03T09:00:00.000Z',
    });
    await stack.clock.set('2027-03-03T09:00:01Z');
    await hand.dial();
  });

  test('no longer delay a person when they have no cap any more', async () => {
    const hand = await person();
    await importRules({ jurisdiction: 'DE', caps: [{ calls: 1, hours: 720 }] });
    await hand.end(await hand.dial(), 'busy');
    expect(await hand.dialAll()).toEqual([]);
    expect(await hand.recipient()).toMatchObject({ deferred_for: 'person_cap' });
    await importRules();
    expect(await hand.dialAll()).toHaveLength(1);
  });

  describe('age scrub lists', () => {
    async function world() {
      await importRules();
      await stack.clock.set(noon);
      const { id: organizationId, ...organization } = await stack.organization();
      const add = (tx: Tx, name: string, jurisdiction: string, goodForDays?: number) =>
        addToScrubList(tx, {
          organizationId,
          name,
          source: 'a registry',
          account: null,
          jurisdiction,
          goodForDays,
          scrubbedAt: new Date('2027-02-10T12:00:00Z'),
          phoneNumbers: [],
          isComplete: true,
          isChecked: false,
        });
      const ages = async () => {
        const { rows } = await sql<{ name: string; good_for_days: number }>`
          select name, good_for_days from scrub_lists where organization_id = ${organizationId}`.execute(
          stack.db,
        );
        return Object.fromEntries(rows.map((row) => [row.name, row.good_for_days]));
      };
      return { organization: { id: organizationId, ...organization }, add, ages };
    }

    test('that were imported before, of the states and territories too, as long as they are in force', async () => {
      const { organization, add, ages } = await world();
      await inTransaction(stack.db, async (tx) => {
        await add(tx, 'federal', 'US');
        await add(tx, 'state', 'US-GA', 25);
        await add(tx, 'territory', 'PR');
        await add(tx, 'german', 'DE');
      });
      const hand = await byHand(
        stack,
        organization,
        { scrub_lists: ['federal'], call_on_weekend: true },
        { phone_numbers: ['+14045550123'], start_time: '00:00', end_time: '23:59' },
      );
      const explain = async () => hand.manager.explainRecipient(hand.campaignId, (await hand.recipient()).id);
      expect((await explain()).decision).toBe('would_dial');
      await importRules({ jurisdiction: 'US', list_good_for_days: 7 });
      expect(await hand.dialAll()).toEqual([]);
      expect((await explain()).refused_by).toBe('scrub_outdated');
      expect(await ages()).toEqual({ federal: 7, state: 7, territory: 7, german: 31 });
      await importRules({ jurisdiction: 'US-GA', list_good_for_days: 22 });
      expect(await ages()).toEqual({ federal: 31, state: 22, territory: 31, german: 31 });
      await importRules();
      expect(await ages()).toEqual({ federal: 31, state: 25, territory: 31, german: 31 });
      await hand.dial();
    });

    test('that are being imported', async () => {
      const { add, ages } = await world();
      await overlapping(
        stack.db,
        (tx) => add(tx, 'federal', 'US'),
        () => importRules({ jurisdiction: 'US', list_good_for_days: 7 }),
      );
      expect(await ages()).toEqual({ federal: 7 });
    });
  });

  test('with the name of another version are refused, and no version is ever changed', async () => {
    const version = await importRules();
    const again = { version, pins: {}, rules: [] };
    expect(await inTransaction(stack.db, (tx) => addRuleVersion(tx, again))).toBeNull();
    await expect(sql`update rule_versions set name = 'x'`.execute(stack.db)).rejects.toThrow('never changed');
    await expect(sql`delete from rule_versions`.execute(stack.db)).rejects.toThrow('never changed');
  });
});
