import {
  addConsents,
  addNumberChanges,
  deleteOldConsents,
  inTransaction,
  revokeConsent,
  type NewConsent,
} from '@outdial/db';
import { enforceRetention } from '@outdial/engine';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { campaignByHand } from '../engine/by-hand.ts';
import { phoneNumbers, runCampaign } from '../engine/campaign.ts';

const [agreed = '', silent = '', revoked = '', expired = '', elsewhere = '', verbal = ''] = phoneNumbers(6);

function consent(phoneNumber: string, change: Partial<NewConsent> = {}): NewConsent {
  return {
    phone_number: phoneNumber,
    basis: 'prior_express_written',
    scope: null,
    text_shown: 'Acme may call me with an artificial voice.',
    source: 'https://acme.example/signup',
    evidence_hash: null,
    given_at: new Date('2027-02-01T00:00:00Z'),
    expires_at: null,
    ...change,
  };
}

describe('a campaign that requires consent', () => {
  test('dials only people with one in force that covers its purpose; each call names it, and the proof of its person the call', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization();
    const { id: organizationId } = organization;
    const ids = await addConsents(stack.db, {
      organizationId,
      createdBy: null,
      consents: [
        consent(agreed, { scope: ['service', 'marketing'] }),
        consent(revoked),
        consent(expired, { expires_at: new Date('2027-02-02T00:00:00Z') }),
        consent(elsewhere, { scope: ['service'] }),
        consent(verbal, { basis: 'prior_express' }),
      ],
    });
    const [used = '', taken = ''] = ids;
    await inTransaction(stack.db, (tx) =>
      revokeConsent(tx, { organizationId, consentId: taken, reason: null, revokedBy: null }),
    );
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: [agreed, silent, revoked, expired, elsewhere, verbal] },
      { require_consent: true, consent_bases: ['prior_express_written'], purpose: 'marketing' },
    );
    await campaign.finished();
    const calls = await sql`select phone_number, consent_id from calls`.execute(stack.db);
    expect(calls.rows).toEqual([{ phone_number: agreed, consent_id: used }]);
    const [dial] = await campaign.dials();
    expect(await organization.clients.manager.proveConsent(agreed)).toMatchObject({
      complete: true,
      consents: [
        {
          id: used,
          uses: 1,
          calls: [
            { call_id: dial?.callId, campaign_id: campaign.id, dialed_at: dial?.gatedAt.toISOString() },
          ],
        },
      ],
    });
    const { rows } = await sql<{ reason: string; count: number }>`
      select data ->> 'reason' as reason, count(*)::int as count from outbox
      where type = 'recipient.finished' group by 1 order by 1`.execute(stack.db);
    expect(rows).toEqual([
      { reason: 'no_consent', count: 5 },
      { reason: 'reached', count: 1 },
    ]);
  });

  test('an undone attempt does not use the consent', async () => {
    const hand = await campaignByHand(
      { require_consent: true, call_back_attempts: 1, retry_delay_seconds: 60, retry_on: ['busy'] },
      { phone_numbers: [agreed] },
    );
    const { organization_id: organizationId } = await hand.recipient();
    const { db } = hand.stack;
    await addConsents(db, { organizationId, createdBy: null, consents: [consent(agreed)] });
    const uses = async () => (await sql<{ uses: number }>`select uses from consent_uses`.execute(db)).rows;
    await hand.undo(await hand.dial());
    expect(await uses()).toEqual([]);
    await hand.end(await hand.dial(), 'busy');
    expect(await uses()).toEqual([{ uses: 1 }]);
    await hand.stack.clock.advance(60_000);
    await hand.undo(await hand.dial());
    expect(await uses()).toEqual([{ uses: 1 }]);
  });

  test('counts no consent that was given before the number was ported or reassigned', async () => {
    const stack = await useStack({ backend: anyBackend() });
    const organization = await stack.organization();
    const { id: organizationId } = organization;
    const [moved = '', agreedAgain = '', sameDay = ''] = phoneNumbers(4).slice(1);
    const changedAt = new Date('2027-02-10T00:00:00Z');
    await addConsents(stack.db, {
      organizationId,
      createdBy: null,
      consents: [
        consent(agreed),
        consent(moved),
        consent(agreedAgain),
        consent(agreedAgain, { given_at: new Date('2027-02-11T00:00:00Z') }),
        consent(sameDay, { given_at: changedAt }),
      ],
    });
    const change = { kind: 'reassigned' as const, changed_at: changedAt, source: 'a registry' };
    await inTransaction(stack.db, (tx) =>
      addNumberChanges(tx, {
        organizationId,
        createdBy: null,
        changes: [
          { ...change, phone_number: moved, kind: 'ported' },
          { ...change, phone_number: agreedAgain },
          { ...change, phone_number: sameDay },
          // Before the consent was given.
          { ...change, phone_number: agreed, changed_at: new Date('2027-01-01T00:00:00Z') },
        ],
      }),
    );
    const campaign = await runCampaign(
      stack,
      organization,
      { phone_numbers: [agreed, moved, agreedAgain, sameDay] },
      { require_consent: true },
    );
    await campaign.finished();
    const calls = await sql<{ phone_number: string }>`select phone_number from calls order by 1`.execute(
      stack.db,
    );
    expect(calls.rows.map((call) => call.phone_number)).toEqual([agreed, agreedAgain].toSorted());
  });
});

describe('a consent is stored', () => {
  const yearsAgo = (years: number) => sql`engine_now() - ${years} * interval '1 year'`;
  /** A consent written ten years ago, each for a different number. `over` and `used` are in years before now. */
  const cases: Record<
    string,
    { over?: number; used?: number; revoked?: number; reassigned?: number; isKept: boolean }
  > = {
    'in force, never used': { isKept: true },
    'expired five years ago and never used': { over: 5.1, isKept: false },
    'expired less than five years ago and never used': { over: 4.9, isKept: true },
    'expired long ago and used less than five years ago': { over: 6, used: 4.9, isKept: true },
    'expired and last used more than five years ago': { over: 6, used: 5.1, isKept: false },
    'revoked five years ago': { revoked: 5.1, isKept: false },
    'revoked five years ago, in use until then and a while longer': { revoked: 5.1, used: 4.9, isKept: true },
    'of a number that was reassigned five years ago': { reassigned: 5.1, isKept: false },
  };

  test('unchanged, for five years after it was over and last used, also when its calls are deleted', async () => {
    const stack = await useStack({ backend: anyBackend(), workers: 0, schedulers: 0 });
    const { db } = stack;
    const { id: organizationId } = await stack.organization({ retention: { calls_days: 1 } });
    for (const [n, [name, { over, used, revoked: revokedAgo, reassigned }]] of Object.entries(
      cases,
    ).entries()) {
      const phone = `+1212555${String(n).padStart(4, '0')}`;
      await sql`
        with own as (
          insert into consents (organization_id, phone_number, basis, source, given_at, expires_at, created_at)
          values (${organizationId}, ${phone}, 'prior_express', ${name}, ${yearsAgo(10)},
            ${over === undefined ? null : yearsAgo(over)}, ${yearsAgo(10)}) returning id),
        used as (
          insert into consent_uses (consent_id, first_used_at, last_used_at, uses)
          select id, ${yearsAgo(used ?? 0)}, ${yearsAgo(used ?? 0)}, 1 from own where ${used !== undefined}),
        changed as (
          insert into number_changes (organization_id, phone_number, kind, changed_at, source, created_at)
          select ${organizationId}, ${phone}, 'reassigned', ${yearsAgo(reassigned ?? 0)}, 'a registry', engine_now()
          where ${reassigned !== undefined})
        insert into consent_revocations (organization_id, consent_id, revoked_at)
        select ${organizationId}, id, ${yearsAgo(revokedAgo ?? 0)} from own where ${revokedAgo !== undefined}`.execute(
        db,
      );
    }
    await expect(sql`update consents set basis = 'inquiry'`.execute(db)).rejects.toThrow('never changed');
    await enforceRetention(stack.control);
    await deleteOldConsents(stack.db, 100);
    const { rows } = await sql<{ source: string }>`select source from consents order by phone_number`.execute(
      db,
    );
    const kept = Object.entries(cases).flatMap(([name, { isKept }]) => (isKept ? [name] : []));
    expect(rows.map((row) => row.source)).toEqual(kept);
    const uses = await sql<{ source: string }>`
      select c.source from consent_uses u left join consents c on c.id = u.consent_id order by c.phone_number`.execute(
      db,
    );
    expect(uses.rows.map((row) => row.source)).toEqual(
      Object.entries(cases).flatMap(([name, of]) => (of.isKept && of.used !== undefined ? [name] : [])),
    );
  });
});
