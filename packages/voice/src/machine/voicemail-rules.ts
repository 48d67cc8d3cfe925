import { Answer } from '../turn/answer.ts';
import type { TurnAction } from '../turn/turn-messages.ts';
import type { Turns } from '../turn/turns.ts';

/** The message's number among the answers of a call. A conversation numbers its answers from 1. */
const messageAnswer = 0;
/** A mailbox whose beep was not recognized waits in silence. */
const silentMs = 4_000;
/** No announcement is longer. */
const longestWaitMs = 60_000;
const longestMessageMs = 180_000;

/** The rules for a mailbox: the message is synthesized during the announcement, begins after the beep, and is played to its end regardless of what the mailbox says. */
export function createVoicemailRules(): Turns {
  const message = new Answer(messageAnswer, 'reply');
  let state: 'before' | 'waiting' | 'speaking' | 'over' = 'before';
  let since = 0;
  let lastVoiceAt = 0;

  function speak(at: number): TurnAction[] {
    state = 'speaking';
    since = at;
    return [{ kind: 'resume_playback' }];
  }

  function end(at: number, reason: string | null): TurnAction[] {
    state = 'over';
    const actions: TurnAction[] = [];
    const isWhole = message.isOver();
    const text = isWhole ? message.text() : message.heard();
    const startedAt = message.firstPlayedAt ?? at;
    if (text !== '') {
      const turn = { role: 'agent' as const, text, startedAt, endedAt: at, interrupted: !isWhole };
      actions.push({ kind: 'record', turn });
    }
    if (reason !== null) actions.push({ kind: 'hang_up', reason });
    return actions;
  }

  function onTick(at: number): TurnAction[] {
    if (state === 'waiting') {
      if (at - lastVoiceAt >= silentMs) return speak(at);
      return at - since >= longestWaitMs ? end(at, 'voicemail_without_end') : [];
    }
    return at - since >= longestMessageMs ? end(at, 'voicemail') : [];
  }

  return {
    take(input) {
      const { at } = input;
      if (state === 'over') return [];
      if (state === 'before') {
        if (input.kind !== 'machine') return [];
        state = 'waiting';
        since = at;
        lastVoiceAt = at;
        const prepare: TurnAction[] = [
          { kind: 'pause_playback' },
          { kind: 'leave_message', answer: message.id },
        ];
        return input.beeped ? [...prepare, ...speak(at)] : prepare;
      }
      if (input.kind === 'left') return end(at, null);
      if (input.kind === 'beep') return state === 'waiting' ? speak(at) : [];
      if (input.kind === 'frame' && input.voiced) lastVoiceAt = at;
      if (input.kind === 'tick') return onTick(at);
      if (!('answer' in input) || input.answer !== message.id) return [];
      if (input.kind === 'failed') return end(at, 'endpoint_failed');
      message.noteProgress(input);
      return message.isOver() ? end(at, 'voicemail') : [];
    },
  };
}
