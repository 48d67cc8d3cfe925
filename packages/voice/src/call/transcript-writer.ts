import { type Db, saveTranscriptSoFar } from '@outdial/db';
import type { TurnRecord } from '../turn/turn-messages.ts';

/** In characters. A conversation of an hour takes a tenth of this. */
const longestTranscript = 500_000;

export type TranscriptWriter = ReturnType<typeof createTranscriptWriter>;

/** Saves the transcript during the call. Writes one version at a time; turns that come during a write go into the next version. */
export function createTranscriptWriter(args: {
  db: Db;
  call: { organizationId: string; id: string };
  answeredAt: number;
  log: { warn(fields: object, message: string): void };
}) {
  const { db, call } = args;
  const lines: string[] = [];
  let length = 0;
  let written = 0;
  let writing: Promise<void> | null = null;
  const text = () => lines.join('\n');

  async function write(): Promise<void> {
    while (written < lines.length) {
      const upTo = lines.length;
      try {
        await saveTranscriptSoFar(db, {
          organizationId: call.organizationId,
          callId: call.id,
          transcript: text(),
        });
      } catch (error) {
        args.log.warn({ err: error, call_id: call.id }, 'a turn of a call could not be saved');
        return;
      }
      written = upTo;
    }
  }

  return {
    add(turn: TurnRecord) {
      const line = transcriptLine(turn, args.answeredAt);
      if (length + line.length > longestTranscript) return;
      length += line.length;
      lines.push(line);
      writing ??= write().finally(() => {
        writing = null;
      });
    },
    text,
    /** Resolves once all turns are saved, or a write has failed. */
    async written() {
      await writing;
      await write();
    },
  };
}

/** Formats a turn with its time since the answer. Removes or replaces characters that Postgres cannot store. */
export function transcriptLine(turn: TurnRecord, answeredAt: number): string {
  const seconds = Math.max(0, Math.round((turn.startedAt - answeredAt) / 1_000));
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
  const text = turn.text.toWellFormed().replaceAll('\u0000', '').replace(/\s+/g, ' ').trim();
  return `[${clock}] ${turn.role === 'agent' ? 'Agent' : 'Person'}: ${text}${turn.interrupted ? ' — (interrupted)' : ''}`;
}
