import type { TurnRecord } from '../turn/turn-messages.ts';

/** The conversation as it is kept in the call's record: a line for each turn, with the time since the answer. */
export function transcriptLine(turn: TurnRecord, answeredAt: number): string {
  const seconds = Math.max(0, Math.round((turn.startedAt - answeredAt) / 1_000));
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const text = turn.text.toWellFormed().replaceAll('\u0000', '').replace(/\s+/g, ' ').trim();
  return `[${clock}] ${turn.role === 'agent' ? 'Agent' : 'Person'}: ${text}${turn.interrupted ? ' — (interrupted)' : ''}`;
}

/** So much is kept of one call; a conversation of an hour is a tenth of it. */
export const longestTranscript = 500_000;
