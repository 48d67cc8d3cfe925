import type { TransferResult } from '@outdial/core';
import { describe, expect, test } from 'vitest';
import { callWith, type FakeCall, steps } from './call.fixture.ts';

const office = { kind: 'transfer', target: 'the office', to: '+12125550190', mode: 'cold' } as const;
const connect = { kind: 'say', text: 'I connect you.' } as const;

/** A call on which the person asked for the office, and the agent transfers them. */
async function transferring(args: Partial<FakeCall>) {
  const call = callWith({
    transcripts: ['The office, please.'],
    answer: (heard) =>
      heard.startsWith('[') ? steps({ kind: 'say', text: 'They cannot talk.' }) : steps(connect, office),
    ...args,
  });
  await call.speaks(1_000);
  await call.goOn(600);
  return call;
}

describe('a transfer', () => {
  test('ends the call of the agent once the target is connected and the last words were heard', async () => {
    const call = await transferring({ transfer: () => Promise.resolve('connected') });
    expect(call.ended()).toBeNull();
    await call.goOn(1_500);
    expect(call.dialogue()).toEqual(['person: The office, please.', 'agent: I connect you.']);
    expect([call.ended(), call.results]).toEqual(['transferred', ['connected']]);
    expect(call.secondLine).toEqual(['reserved']);
  });

  test.each(['busy', 'no_answer', 'failed'] as const)('that is %s returns to the agent', async (result) => {
    const call = await transferring({ transfer: () => Promise.resolve(result) });
    await call.goOn(3_000);
    expect(call.heardByModel[1]).toContain('[The transfer failed');
    expect(call.dialogue()[1]).toBe('agent: I connect you. They cannot talk.');
    expect(call.ended()).toBeNull();
  });

  test('without a free line is not dialed, and the agent gets the reason', async () => {
    let dials = 0;
    const call = await transferring({
      refusal: () => Promise.resolve('no_line_free'),
      transfer() {
        dials += 1;
        return Promise.resolve('connected');
      },
    });
    await call.goOn(3_000);
    expect(call.heardByModel[1]).toContain('the office cannot be connected. All lines are in use.');
    expect([dials, call.results, call.ended()]).toEqual([0, ['refused'], null]);
  });

  test('that throws releases its line, and returns to the agent', async () => {
    const call = await transferring({ transfer: () => Promise.reject(new Error('500')) });
    await call.goOn(3_000);
    expect(call.heardByModel[1]).toContain('[The transfer failed');
    expect(call.secondLine).toEqual(['reserved', 'released']);
  });

  test('releases its line before the agent learns of the failure', async () => {
    const released = Promise.withResolvers<void>();
    const call = await transferring({
      release: () => released.promise,
      transfer: () => Promise.resolve('busy'),
    });
    await call.goOn(1_000);
    expect(call.heardByModel).toHaveLength(1);
    released.resolve();
    await call.goOn(1_000);
    expect(call.heardByModel).toHaveLength(2);
  });

  test('is not dialed if the person hangs up while the line is being reserved, and releases the line', async () => {
    const taken = Promise.withResolvers<null>();
    let dials = 0;
    const call = await transferring({
      refusal: () => taken.promise,
      transfer() {
        dials += 1;
        return Promise.resolve('connected');
      },
    });
    call.call.left();
    taken.resolve(null);
    await call.goOn(100);
    expect([dials, call.secondLine]).toEqual([0, ['reserved', 'released']]);
  });

  test('reserves no line if the person speaks before it begins', async () => {
    const call = await transferring({
      transcripts: ['The office, please.', 'No, wait, I have a question first.'],
      async *answer(heard, signal) {
        yield connect;
        if (heard.startsWith('No')) return;
        // The tool ends after the person has spoken.
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        yield office;
      },
    });
    await call.goOn(500);
    await call.speaks(1_500);
    await call.goOn(1_000);
    expect(call.heardByModel).toHaveLength(2);
    expect(call.secondLine).toEqual([]);
  });

  test('continues while the person speaks, and replies afterwards', async () => {
    const decided = Promise.withResolvers<TransferResult>();
    let isGivenUp = false;
    const call = await transferring({
      transcripts: ['The office, please.', 'Hello, is anybody there?', 'Then call me back.'],
      transfer(_, signal) {
        signal.addEventListener('abort', () => (isGivenUp = true));
        return decided.promise;
      },
    });
    await call.goOn(1_200);
    await call.speaks(1_500);
    await call.goOn(800);
    expect(isGivenUp).toBe(false);
    expect(call.dialogue()).toContain('person: Hello, is anybody there?');
    decided.resolve('busy');
    await call.goOn(2_000);
    await call.speaks(1_000);
    await call.goOn(600);
    expect(call.heardByModel).toContain('Then call me back.');
  });

  test.each(['words', 'the key'])('is canceled when the person opts out by %s', async (by) => {
    const call = await transferring({
      transcripts: ['The office, please.', 'Forget it, do not call me again.'],
      optOutKey: '9',
      transfer: (_, signal) =>
        new Promise((resolve) => signal.addEventListener('abort', () => resolve('failed'))),
    });
    await call.goOn(1_200);
    if (by === 'words') await call.speaks(1_500);
    else call.call.key('9');
    await call.goOn(2_500);
    expect(call.dialogue().at(-1)).toBe('agent: No more calls.');
    expect([call.heardByModel, call.optOuts(), call.ended()]).toEqual([
      ['The office, please.'],
      1,
      'opted_out',
    ]);
    expect(call.secondLine).toEqual(['reserved', 'released']);
  });

  test('is canceled when the person hangs up', async () => {
    let isGivenUp = false;
    const call = await transferring({
      transfer: (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => {
            isGivenUp = true;
            resolve('failed');
          }),
        ),
    });
    call.call.left();
    await call.goOn(40);
    expect([isGivenUp, call.ended()]).toEqual([true, 'left']);
    expect(call.secondLine).toEqual(['reserved', 'released']);
  });

  test('is not retried forever', async () => {
    let dials = 0;
    let rounds = 0;
    const call = await transferring({
      transfer() {
        dials += 1;
        return Promise.resolve('busy');
      },
      answer() {
        rounds += 1;
        return rounds > 20 ? steps() : steps(office);
      },
    });
    await call.goOn(2_000);
    expect(dials).toBe(5);
    expect(call.secondLine.filter((what) => what === 'reserved')).toHaveLength(5);
    expect(call.heardByModel[6]).toContain('too many transfers');
  });
});
