import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What is kept of a call: enough to answer for it, and to go on with it after a restart. */
export interface Call {
  call_id: string;
  to_phone: string;
  attempt: number;
  events_url: string;
  state: 'accepted' | 'ringing' | 'answered' | 'ended';
  occurred_at: string;
  data: Record<string, unknown>;
}

/** Calls by their ids, a file each: an id that was accepted once is known for ever, also after a crash. */
export function openCalls(folder: string) {
  mkdirSync(folder, { recursive: true });
  const calls = new Map<string, Call>();
  for (const name of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
    // Written by `keep`.
    const call = JSON.parse(readFileSync(join(folder, name), 'utf8')) as Call;
    calls.set(call.call_id, call);
  }
  return {
    calls,
    live: () => [...calls.values()].filter((call) => call.state !== 'ended'),
    /** Replaces the file as a whole, so that half of one is never read. A real gateway also waits until the disk has it. */
    keep: (call: Call): void => {
      calls.set(call.call_id, call);
      const path = join(folder, `${call.call_id}.json`);
      writeFileSync(`${path}.new`, JSON.stringify(call));
      renameSync(`${path}.new`, path);
    },
  };
}
