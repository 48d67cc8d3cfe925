import { deleteOldOutboxEvents, saveTranscriptSoFar } from '@outdial/db';
import type { CallReport } from '@outdial/engine';
import { expect, test } from 'vitest';
import { anyBackend } from '../../support/queues.ts';
import { runToEnd } from '../../support/stack/campaign-watch.ts';
import type { Stack } from '../../support/stack/start-stack.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { campaignByHand } from './by-hand.ts';
import { phoneNumbers, runCampaign } from './campaign.ts';

async function rowsOf(stack: Stack) {
  return stack.db
    .selectFrom('outbox')
    .select(['type', 'call_id', 'recipient_id', 'campaign_id', 'data', 'created_at', 'id'])
    .orderBy('ordinal')
    .execute();
}

async function typesOf(stack: Stack): Promise<string[]> {
  return (await rowsOf(stack)).map((row) => row.type);
}

/** A campaign with one recipient, whose call has passed the gate and is reported by the test. */
async function oneCall() {
  const hand = await campaignByHand();
  const callId = await hand.dial();
  const report = (report: Omit<CallReport, 'callId'>) => hand.report([{ callId, ...report }]);
  return { ...hand, callId, at: await hand.stack.clock.now(), report };
}

const details = {};

test('each call has one event for its start, its answer and its end, in this order, and each recipient and campaign one for its finish', async () => {
  const stack = await useStack({ backend: anyBackend() });
  const organization = await stack.organization();
  const [reached = '', busy = ''] = [...phoneNumbers(1), ...phoneNumbers(1, '91')];
  const campaign = await runCampaign(
    stack,
    organization,
    { phone_numbers: [reached, busy] },
    { call_back_attempts: 1, retry_delay_seconds: 0 },
  );
  await runToEnd(stack.db, stack.clock, campaign.id);
  const rows = await rowsOf(stack);
  const calls = await stack.db.selectFrom('calls').selectAll().execute();
  const told = calls
    .toSorted((one, other) => one.attempt - other.attempt)
    .map((call) => [
      call.phone_number,
      rows
        .filter((row) => row.call_id === call.id)
        .map((row) => `${row.type} ${String(row.data['attempt'])}`),
    ]);
  expect(told).toContainEqual([reached, ['call.started 1', 'call.answered 1', 'call.ended 1']]);
  expect(told).toContainEqual([busy, ['call.started 1', 'call.ended 1']]);
  expect(told).toContainEqual([busy, ['call.started 2', 'call.ended 2']]);
  expect(rows.filter((row) => row.type === 'recipient.finished').map((row) => row.data)).toEqual(
    expect.arrayContaining([
      { reason: 'reached', outcome: 'completed', attempts: 1, round: 1 },
      { reason: 'attempts_used', outcome: 'busy', attempts: 2, round: 1 },
    ]),
  );
  expect(rows.filter((row) => row.type.startsWith('campaign.')).map((row) => row.type)).toEqual([
    'campaign.started',
    'campaign.finished',
  ]);
  expect(JSON.stringify(rows)).not.toContain('+1555');
});

test('a call that left the queue of its provider has started, once', async () => {
  const { stack, at, report } = await oneCall();
  await report({ accepted: { conversationId: 'CA1', isQueued: true }, facts: [] });
  await report({ facts: [{ kind: 'ringing', eventId: 'r', at }] });
  await report({ facts: [{ kind: 'answered', eventId: 'a', at }] });
  await report({ facts: [{ kind: 'ended', eventId: 'e', at, outcome: 'completed', details }] });
  expect(await typesOf(stack)).toEqual([
    'campaign.started',
    'call.started',
    'call.answered',
    'call.ended',
    'recipient.finished',
  ]);
});

test('a transcript, a recording and a correction that come after the end are updates of the call', async () => {
  const { stack, at, report } = await oneCall();
  const end = (outcome: 'unknown' | 'completed', eventId: string) =>
    report({ facts: [{ kind: 'ended', eventId, at, outcome, details }] });
  await end('unknown', 'e1');
  await report({ facts: [{ kind: 'transcript', eventId: 't', at, transcript: 'Hello' }] });
  await report({
    facts: [{ kind: 'recording', eventId: 'r', at, recordingUrl: 'https://example.com/1.wav' }],
  });
  await end('completed', 'e2');
  await end('completed', 'e2');
  const updates = (await rowsOf(stack)).filter((row) => row.type === 'call.updated');
  expect(updates.map((row) => [row.data['changed'], row.data['outcome']])).toEqual([
    [['transcript'], 'unknown'],
    [['recording'], 'unknown'],
    [['outcome'], 'completed'],
  ]);
  expect(JSON.stringify(updates)).not.toContain('Hello');
});

test('an update of a correction names all that came with it, once', async () => {
  const { stack, at, report } = await oneCall();
  await report({ facts: [{ kind: 'ended', eventId: 'e1', at, outcome: 'unknown', details }] });
  const came = {
    transcript: 'Hello',
    recordingUrl: 'https://example.com/1.wav',
    callExtract: { agreed: true },
  };
  await report({
    facts: [
      { kind: 'transcript', eventId: 't', at, transcript: 'Hello' },
      { kind: 'ended', eventId: 'e2', at, outcome: 'completed', details: came },
    ],
  });
  const updates = (await rowsOf(stack)).filter((row) => row.type === 'call.updated');
  expect(updates.map((row) => row.data['changed'])).toEqual([
    ['transcript', 'outcome', 'recording', 'call_extract'],
  ]);
});

test('the event of an end fills in what a call lacks that we have ended before, once', async () => {
  const { stack, at, report } = await oneCall();
  const hungUp = {
    outcome: 'completed' as const,
    details: { externalStatus: 'hung_up', transcript: 'Hello' },
  };
  await report({ withoutAcceptance: true, facts: [{ kind: 'ended', eventId: null, at, ...hungUp }] });
  const told = {
    outcome: 'failed' as const,
    details: {
      externalStatus: 'done',
      transcript: 'Hello. Goodbye.',
      cost: 0.25,
      recordingUrl: 'https://example.com/1.wav',
      callExtract: { agreed: true },
    },
  };
  for (const eventId of ['e1', 'e1', 'e2']) {
    await report({ facts: [{ kind: 'ended', eventId, at, ...told }] });
  }
  const call = await stack.db.selectFrom('calls').selectAll().executeTakeFirstOrThrow();
  expect(call).toMatchObject({
    outcome: 'completed',
    external_status: 'hung_up',
    transcript: 'Hello',
    cost: '0.2500',
    recording_url: 'https://example.com/1.wav',
    call_extract: { agreed: true },
  });
  const updates = (await rowsOf(stack)).filter((row) => row.type === 'call.updated');
  expect(updates.map((row) => row.data['changed'])).toEqual([['recording', 'call_extract']]);
});

test('a partial transcript that comes after the end does not replace the final one, of which the end tells', async () => {
  const { stack, organization, callId, at, report } = await oneCall();
  const soFar = (transcript: string) =>
    saveTranscriptSoFar(stack.db, { organizationId: organization.id, callId, transcript });
  const transcript = async () =>
    (await stack.db.selectFrom('calls').select('transcript').executeTakeFirstOrThrow()).transcript;
  await soFar('Hello');
  expect(await transcript()).toBe('Hello');
  const ended = { outcome: 'completed' as const, details: { transcript: 'Hello. Goodbye.' } };
  await report({ facts: [{ kind: 'ended', eventId: 'e', at, ...ended }] });
  await soFar('Hello. Good');
  expect(await transcript()).toBe('Hello. Goodbye.');
});

test('a refused call ends without having started', async () => {
  const { stack, at, report } = await oneCall();
  await report({
    withoutAcceptance: true,
    facts: [{ kind: 'ended', eventId: null, at, outcome: 'invalid_number', details }],
  });
  expect(await typesOf(stack)).toEqual(['campaign.started', 'call.ended', 'recipient.finished']);
});

test('rows are stored for 30 days', async () => {
  const { stack, at } = await oneCall();
  await stack.clock.set(new Date(at.getTime() + 30.1 * 86_400_000));
  const inDays = (days: number) => new Date(at.getTime() + days * 86_400_000);
  const remove = (now: Date) => deleteOldOutboxEvents(stack.db, { now, limit: 10 });
  expect(await remove(inDays(29.9))).toBe(0);
  expect(await remove(inDays(30.1))).toBe(1);
  expect(await typesOf(stack)).toEqual([]);
});
