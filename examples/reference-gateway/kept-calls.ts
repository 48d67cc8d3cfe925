import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The state of a call: enough to answer look-ups, and to continue the call after a restart. */
export interface Call {
  call_id: string;
  to_phone: string;
  attempt: number;
  events_url: string;
  state: 'accepted' | 'ringing' | 'answered' | 'ended';
  occurred_at: string;
  data: Record<string, unknown>;
  /** Outdial has the event of this state. */
  is_told: boolean;
}

/** Calls by id, one file each. An accepted id is remembered forever, even after a crash. */
export function openCalls(folder: string) {
  mkdirSync(folder, { recursive: true });
  const calls = new Map<string, Call>();
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    // The file was written by `keep`.
    const call = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Call;
    calls.set(call.call_id, call);
  }
  return {
    calls,
    live: () => [...calls.values()].filter((call) => call.state !== 'ended'),
    /** Replaces the whole file, so that a partial one is never read. A real gateway would also sync it to disk. */
    keep: (call: Call): void => {
      calls.set(call.call_id, call);
      const path = join(folder, `${call.call_id}.json`);
      writeFileSync(`${path}.new`, JSON.stringify(call));
      renameSync(`${path}.new`, path);
    },
  };
}
