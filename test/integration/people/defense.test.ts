import {
  addConsents,
  addNumberChanges,
  addNumberQueries,
  addToScrubList,
  erasePerson,
  inTransaction,
  removeSuppression,
  revokeConsent,
} from '@outdial/db';
import { createProgressRecorder } from '@outdial/engine';
import { expect, test } from 'vitest';
import { campaignByHand } from '../engine/by-hand.ts';
import { phoneNumbers } from '../engine/campaign.ts';

const [number = ''] = phoneNumbers(1);
const hourMs = 3_600_000;

test('everything about one number is one file: consents, what the person asked, dials, refusals and lists', async () => {
  const hand = await campaignByHand({ require_consent: true, call_back_attempts: 2 });
  const { manager, stack } = hand;
  const { db } = stack;
  await expect(manager.defendPerson('+15559999999')).rejects.toMatchObject({ status: 404 });
  const { organization_id: organizationId, id: recipientId } = await hand.recipient();
  const now = await stack.clock.now();
  const ago = (hours: number) => new Date(now.getTime() - hours * hourMs);
  const person = { organizationId, phoneNumber: number };
  const [consentId = ''] = await addConsents(db, {
    organizationId,
    createdBy: null,
    consents: [
      {
        phone_number: number,
        basis: 'prior_express',
        scope: null,
        text_shown: 'Acme may call me.',
        source: 'a form',
        evidence_hash: 'sha256:ab',
        given_at: ago(48),
        expires_at: null,
      },
    ],
  });
  const callId = await hand.dial();
  await hand.end(callId, 'no_answer');
  await inTransaction(db, (tx) =>
    revokeConsent(tx, { organizationId, consentId, reason: 'a letter', revokedBy: null }),
  );
  await stack.clock.advance(48 * hourMs);
  // Refused, since the consent has been revoked.
  expect(await hand.dialAll()).toEqual([]);
  const heardAt = ago(1);
  const report = {
    callId,
    facts: [{ kind: 'opt_out' as const, by: 'speech' as const, eventId: 'said', at: heardAt }],
  };
  const recorder = createProgressRecorder({
    ...stack.control,
    settings: { ringTimeoutSeconds: 45, maxCallSeconds: 600 },
    metrics: { callEnded: () => undefined },
  });
  // A report may come twice.
  await recorder.record(report);
  await recorder.record(report);
  await inTransaction(db, (tx) => removeSuppression(tx, person));
  await inTransaction(db, (tx) =>
    addNumberChanges(tx, {
      organizationId,
      createdBy: null,
      changes: [{ phone_number: number, kind: 'ported', changed_at: ago(1), source: 'a registry' }],
    }),
  );
  await inTransaction(db, (tx) =>
    addToScrubList(tx, {
      organizationId,
      name: 'national',
      source: 'a registry',
      account: null,
      scrubbedAt: ago(1),
      phoneNumbers: [number],
      isComplete: true,
      isChecked: false,
    }),
  );
  await inTransaction(db, (tx) =>
    addNumberQueries(tx, {
      organizationId,
      createdBy: null,
      queries: [
        { phone_number: number, queried_at: ago(3), answer: 'no', since: ago(48), source: 'a registry' },
        { phone_number: number, queried_at: ago(2), answer: 'yes', since: ago(48), source: 'a registry' },
      ],
    }),
  );
  const defense = await manager.defendPerson(number);
  expect(defense.number_queries.map(({ answer }) => answer).toSorted()).toEqual(['no', 'yes']);
  expect(defense).toMatchObject({
    phone_number: number,
    suppression: null,
    scrub_lists: [{ name: 'national' }],
    revocations: [
      { channel: 'consent', words: 'a letter', consent_id: consentId, call_id: null },
      {
        channel: 'call_speech',
        // Nobody reported what the person said.
        words: null,
        received_at: heardAt.toISOString(),
        call_id: callId,
        consent_id: null,
      },
    ],
    consents: [{ id: consentId, text_shown: 'Acme may call me.', evidence_hash: 'sha256:ab', uses: 1 }],
    // A number that was given up is a change of the number too.
    number_changes: [{ kind: 'reassigned', changed_at: ago(2).toISOString() }, { kind: 'ported' }],
    recipients: [{ id: recipientId, attempts: 1, refusals: { by_condition: { no_consent: 1 } } }],
    calls: [{ call_id: callId, decision: 'dialed', outcome: 'no_answer', consent: { id: consentId } }],
    complete: true,
  });
  expect(defense.calls[0]).toEqual(
    await manager.readReceipt(callId).then(({ as_of: _at, ...rest }) => ({
      ...rest,
      as_of: defense.calls[0]?.as_of,
    })),
  );
  const { recipients: _recipients, calls: _calls, exported_at: _at, ...kept } = defense;
  expect(await hand.organization.clients.admin.exportPerson(number)).toMatchObject({
    ...kept,
    recipients: [{ id: recipientId }],
    calls: [{ id: callId }],
  });
  const audited = await db
    .selectFrom('audit_log')
    .select('target_type')
    .where('action', '=', 'defendPerson')
    .execute();
  expect(audited).toEqual([{ target_type: 'person' }]);
  await inTransaction(db, (tx) =>
    erasePerson(tx, { ...person, keepSuppressed: false, forgetsOptOut: true, requestedBy: null, now }),
  );
  expect(await manager.defendPerson(number)).toMatchObject({
    revocations: [{ channel: 'consent' }],
    recipients: [],
    calls: [],
  });
});

test('requests for no more calls are never changed', async () => {
  const { stack, manager } = await campaignByHand();
  await manager.suppress(number, { channel: 'email', words: 'Leave me alone.' });
  await manager.suppress(number, { channel: 'letter' });
  expect((await manager.defendPerson(number)).revocations).toMatchObject([
    { channel: 'letter' },
    { channel: 'email', words: 'Leave me alone.' },
  ]);
  await expect(stack.db.updateTable('revocations').set({ words: null }).execute()).rejects.toThrow(
    'never changed',
  );
});
