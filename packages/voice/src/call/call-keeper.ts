import { saveTranscriptSoFar, type Db } from '@outdial/db';
import type { TurnRecord } from '../turn/turn-messages.ts';
import { longestTranscript, transcriptLine } from './transcript.ts';

/** Writes a conversation down while it goes on. */
export interface CallKeeper {
  turn(turn: TurnRecord): void;
  text(): string;
  /** Resolves when everything that was said is written, or could not be. */
  written(): Promise<void>;
}

/** One write at a time for a call; turns that come meanwhile are in the next one. */
export function keepCall(args: {
  db: Db;
  call: { organizationId: string; id: string };
  answeredAt: number;
  log: { warn(fields: object, message: string): void };
}): CallKeeper {
  const { db, call } = args;
  let lines: string[] = [];
  let length = 0;
  let written = 0;
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    while (written < lines.length) {
      const upTo = lines.length;
      try {
        await saveTranscriptSoFar(db, {
          organizationId: call.organizationId,
          callId: call.id,
          transcript: lines.join('\n'),
        });
      } catch (error) {
        args.log.warn({ err: error, call_id: call.id }, 'a turn of a call could not be written down');
        return;
      }
      written = upTo;
    }
  }

  return {
    turn(turn) {
      const line = transcriptLine(turn, args.answeredAt);
      if (length + line.length > longestTranscript) return;
      length += line.length;
      lines = [...lines, line];
      writing ??= write().finally(() => {
        writing = null;
      });
    },
    text: () => lines.join('\n'),
    async written() {
      await writing;
      await write();
    },
  };
}
