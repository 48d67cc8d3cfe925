import { describe, expect, test } from 'vitest';
import { engineBackends } from '../../support/queues.ts';
import { linesInUse, recipientStates, runToEnd } from '../../support/stack/campaign-watch.ts';
import { recordedDials } from '../../support/stack/dials.ts';
import { useStack } from '../../support/stack/use-stack.ts';

const ending = (digits: string) => `+155512300${digits}`;

/** Every kind of simulated number, with the outcomes of its dials in order, given two call-backs. */
const kinds: ReadonlyArray<[digits: string, outcomes: string[]]> = [
  ['00', ['completed']],
  ['91', ['busy', 'busy', 'busy']],
  ['92', ['no_answer', 'no_answer', 'no_answer']],
  ['93', ['rejected']],
  ['94', ['voicemail', 'voicemail', 'voicemail']],
  ['95', ['failed', 'failed', 'failed']],
  ['96', ['invalid_number']],
  ['97', ['busy', 'completed']],
  ['98', ['no_answer', 'no_answer', 'completed']],
  ['99', ['unknown']],
  ['42', ['completed']],
];

const statusOf: Record<string, string> = {
  completed: 'finish',
  busy: 'other',
  no_answer: 'other',
  rejected: 'other',
  voicemail: 'other',
  failed: 'error',
  invalid_number: 'error',
  unknown: 'error',
};

describe.each(engineBackends())('every kind of number, queues on %s', (backend) => {
  test('is dialed exactly as often as it must be, and leaves its records', async () => {
    const stack = await useStack({ backend, settings: { maxCallSeconds: 60 } });
    const { clients, users, agentId, id: organizationId } = await stack.organization();
    const { id } = await clients.member.createCampaign({
      name: 'Every kind',
      agent_id: agentId,
      phone_numbers: kinds.map(([digits]) => ending(digits)),
      additional_params: {
        prompt_params: { topic: 'boats', name: 'you' },
        recipients: { [ending('00')]: { prompt_params: { name: 'Ada' } } },
      },
    });
    await clients.manager.setConfig(id, {
      call_back_attempts: 2,
      retry_delay_seconds: 60,
      max_concurrent_calls: 1,
    });
    await clients.manager.setStatus(id, 'running');
    await runToEnd(stack.db, stack.clock, id);

    const dials = await recordedDials(stack.db, { campaignId: id });
    const perNumber = kinds.map(([digits]) => {
      const ofNumber = dials.filter((dial) => dial.phone === ending(digits));
      expect(ofNumber.map((dial) => dial.attempt)).toEqual(ofNumber.map((_, index) => index + 1));
      return [digits, ofNumber.map((dial) => dial.outcome)];
    });
    expect(perNumber).toEqual(kinds);
    // With one line, the list is called in order, and then the call-backs in the order in which they are due.
    expect(dials.map((dial) => dial.phone.slice(-2)).join(' ')).toBe(
      '00 91 92 93 94 95 96 97 98 99 42 91 92 94 95 97 98 91 92 94 95 98',
    );
    const waits = dials.flatMap((dial) =>
      dials
        .filter((next) => next.phone === dial.phone && next.attempt === dial.attempt + 1)
        .map((next) => next.gatedAt.getTime() - dial.gatedAt.getTime()),
    );
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(60_000);

    expect(await clients.viewer.readCampaign(id)).toMatchObject({ status: 'finished' });
    expect(await recipientStates(stack.db, id)).toEqual({ done: kinds.length });
    expect(await linesInUse(stack.db)).toBe(0);

    const calls = await Promise.all(
      dials.map(async (dial) => ({ dial, call: await clients.viewer.readCall(dial.callId) })),
    );
    const { id: managerId, firstName, lastName } = users.manager;
    for (const { dial, call } of calls) {
      expect(call).toMatchObject({
        organization_id: organizationId,
        agent_id: agentId,
        phone_number: dial.phone,
        provider: 'phone_outbound',
        type: 'outbound',
        status: statusOf[dial.outcome ?? ''],
        created_by: { id: managerId, first_name: firstName, last_name: lastName },
        meta: { outcome: dial.outcome, campaign_id: id, attempt: dial.attempt },
        system_prompt: `Call ${dial.phone === ending('00') ? 'Ada' : 'you'} about boats.`,
      });
      expect(call.meta?.['recipient_id']).toEqual(expect.any(String));
      const events = call.events ?? [];
      expect(events.at(0)).toMatchObject({ type: 'placed', at: dial.gatedAt.toISOString() });
      expect(events.at(-1)).toMatchObject({ type: 'ended' });
      const instants = events.map((event) => event.at);
      expect(instants).toEqual(instants.toSorted());
    }
    for (const { call } of calls.filter(({ dial }) => dial.outcome !== 'completed')) {
      expect(call).toMatchObject({ transcript: null, recording_url: null });
    }
    for (const { call } of calls.filter(({ dial }) => dial.outcome === 'completed')) {
      expect(call.events?.map((event) => event['type'])).toEqual(['placed', 'ringing', 'answered', 'ended']);
      expect(call.duration).toBe(0);
      expect(call.transcript).toContain('about boats');
      const audio = await clients.viewer.readRecording(call.recording_url ?? '');
      expect(audio.contentType).toBe('audio/wav');
      expect(audio.bytes.subarray(0, 4).toString('latin1')).toBe('RIFF');
    }
    // The call without a reported end was hung up at its longest duration.
    const unknown = dials.find((dial) => dial.outcome === 'unknown');
    expect(Number(unknown?.endedAt) - Number(unknown?.gatedAt)).toBeGreaterThanOrEqual(60_000);
  });
});
