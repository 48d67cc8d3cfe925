import { isOver, newAnswer, textOf } from '../turn/answer.ts';
import { heardText } from '../turn/heard-words.ts';
import type { TurnAction, TurnInput } from '../turn/turn-messages.ts';
import type { Turns } from '../turn/turns.ts';

/** The number of the message among the answers of a call; those of a conversation begin at 1. */
const messageAnswer = 0;
/** A mailbox whose beep was not heard as one waits in silence. */
const silentMs = 4_000;
/** Announcements are over by then. */
const longestWaitMs = 60_000;
const longestMessageMs = 180_000;

/**
 * What takes the place of turns when a mailbox has answered: the message is made while the announcement goes on, begins after the beep,
 * and is heard to its end whatever the mailbox says.
 */
export function createVoicemailRules(): Turns {
  const message = newAnswer(messageAnswer, 'reply');
  let state: 'before' | 'waiting' | 'speaking' | 'over' = 'before';
  let since = 0;
  let lastVoiceAt = 0;

  function speak(at: number): TurnAction[] {
    state = 'speaking';
    since = at;
    return [{ kind: 'resume_playback' }];
  }

  function over(at: number, reason: string | null): TurnAction[] {
    state = 'over';
    const isWhole = isOver(message);
    const text = isWhole ? textOf(message) : heardText(message.pieces, message.playedMs);
    const startedAt = message.firstPlayedAt ?? at;
    return [
      ...(text === ''
        ? []
        : [
            {
              kind: 'record' as const,
              turn: { role: 'agent' as const, text, startedAt, endedAt: at, interrupted: !isWhole },
            },
          ]),
      ...(reason === null ? [] : [{ kind: 'hang_up' as const, reason }]),
    ];
  }

  function onTime(at: number): TurnAction[] {
    if (state === 'waiting') {
      if (at - lastVoiceAt >= silentMs) return speak(at);
      return at - since >= longestWaitMs ? over(at, 'voicemail_without_end') : [];
    }
    return at - since >= longestMessageMs ? over(at, 'voicemail') : [];
  }

  return {
    take(input: TurnInput) {
      const { at } = input;
      if (state === 'over') return [];
      if (state === 'before') {
        if (input.kind !== 'machine') return [];
        state = 'waiting';
        since = at;
        lastVoiceAt = at;
        const make: TurnAction[] = [
          { kind: 'pause_playback' },
          { kind: 'leave_message', answer: message.id },
        ];
        return input.beeped ? [...make, ...speak(at)] : make;
      }
      if (input.kind === 'left') return over(at, null);
      if (input.kind === 'beep') return state === 'waiting' ? speak(at) : [];
      if (input.kind === 'frame' && input.voiced) lastVoiceAt = at;
      if (input.kind === 'tick') return onTime(at);
      if (!('answer' in input) || input.answer !== message.id) return [];
      if (input.kind === 'failed') return over(at, 'endpoint_failed');
      if (input.kind === 'piece') message.pieces.push({ text: input.text, audioMs: 0, done: false });
      if (input.kind === 'replied') message.complete = true;
      if (input.kind === 'audio') {
        const piece = message.pieces[input.index];
        if (piece !== undefined) {
          piece.audioMs += input.ms;
          piece.done = input.done;
        }
      }
      if (input.kind === 'played') {
        if (input.ms > 0) message.firstPlayedAt ??= at;
        message.playedMs = Math.max(message.playedMs, input.ms);
      }
      return isOver(message) ? over(at, 'voicemail') : [];
    },
  };
}
