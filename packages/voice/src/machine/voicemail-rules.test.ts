import { describe, expect, test } from 'vitest';
import type { TurnAction, TurnInput } from '../turn/turn-messages.ts';
import { createVoicemailRules } from './voicemail-rules.ts';

function leaving() {
  const rules = createVoicemailRules();
  const done: Array<[number, TurnAction]> = [];
  const give = (input: TurnInput) => {
    for (const action of rules.take(input)) done.push([input.at, action]);
  };
  const listen = (from: number, to: number, voiced: boolean) => {
    for (let at = from; at < to; at += 20) {
      give({ at, kind: 'frame', voiced });
      give({ at, kind: 'tick' });
    }
  };
  const make = (at: number, text: string, ms: number) => {
    give({ at, kind: 'piece', answer: 0, text });
    give({ at, kind: 'audio', answer: 0, index: 0, ms, done: true });
    give({ at, kind: 'replied', answer: 0, end: null });
  };
  const play = (from: number, ms: number) => {
    for (let played = 20; played <= ms; played += 20) {
      give({ at: from + played, kind: 'played', answer: 0, ms: played });
    }
  };
  const kinds = () => done.map(([at, { kind }]) => `${at}: ${kind}`);
  const records = () => done.flatMap(([, action]) => (action.kind === 'record' ? [action.turn] : []));
  return { give, listen, make, play, kinds, records, done };
}

const text = 'This is Ada, please call us back.';

describe('a message for a mailbox', () => {
  test('is synthesized during the announcement, begins after the beep, and is played to its end', () => {
    const call = leaving();
    call.give({ at: 0, kind: 'machine', beeped: false });
    call.make(100, text, 2_000);
    call.listen(100, 9_000, true);
    expect(call.kinds()).toEqual(['0: pause_playback', '0: leave_message']);
    call.give({ at: 9_000, kind: 'beep' });
    expect(call.kinds().at(-1)).toEqual('9000: resume_playback');
    // Mailboxes crackle, and some beep twice.
    call.listen(9_000, 9_400, true);
    call.give({ at: 9_400, kind: 'beep' });
    call.play(9_000, 2_000);
    expect(call.records()).toEqual([
      { role: 'agent', text, startedAt: 9_020, endedAt: 11_000, interrupted: false },
    ]);
    expect(call.done.at(-1)).toEqual([11_000, { kind: 'hang_up', reason: 'voicemail' }]);
  });

  test('begins at once if the mailbox has beeped', () => {
    const call = leaving();
    call.give({ at: 500, kind: 'machine', beeped: true });
    expect(call.kinds()).toEqual(['500: pause_playback', '500: leave_message', '500: resume_playback']);
  });

  test('begins after four seconds of silence without a beep', () => {
    const call = leaving();
    call.give({ at: 0, kind: 'machine', beeped: false });
    call.listen(0, 3_000, true);
    call.listen(3_000, 6_960, false);
    expect(call.kinds()).toHaveLength(2);
    call.listen(6_960, 7_100, false);
    expect(call.kinds().at(-1)).toEqual('6980: resume_playback');
  });

  test('is not left if the announcement does not end', () => {
    const call = leaving();
    call.give({ at: 0, kind: 'machine', beeped: false });
    call.listen(0, 61_000, true);
    expect(call.done.at(-1)).toEqual([60_000, { kind: 'hang_up', reason: 'voicemail_without_end' }]);
  });

  test('is recorded as far as it was played, if the mailbox hangs up or the voice fails', () => {
    const cut = leaving();
    cut.give({ at: 0, kind: 'machine', beeped: true });
    cut.make(0, text, 2_000);
    cut.play(0, 1_000);
    cut.give({ at: 1_000, kind: 'left' });
    expect(cut.records()).toMatchObject([{ text: 'This is Ada,', interrupted: true }]);
    const failed = leaving();
    failed.give({ at: 0, kind: 'machine', beeped: true });
    failed.give({ at: 10, kind: 'failed', answer: 0 });
    expect(failed.done.at(-1)).toEqual([10, { kind: 'hang_up', reason: 'endpoint_failed' }]);
  });
});
