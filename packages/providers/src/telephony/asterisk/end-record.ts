import { z } from 'zod';
import type { CallEnding } from './outcome.ts';

/** How a call ended, as the dialplan wrote it down on the Asterisk itself, whether or not anybody listened. */
export interface EndRecord {
  at: Date;
  ending: Omit<CallEnding, 'rang'> & { rang: boolean };
}

// `1|<channel state>|<hangup cause>|<AMD's verdict>|<canceled>|<media handoff failed>|<seconds since 1970>|<last SIP response>`. The SIP
// response comes last, since the words in it are the carrier's.
const form = /^1\|([A-Za-z ]*)\|(\d{0,3})\|([A-Z]*)\|(1?)\|([a-z_]*)\|(\d{10})\|(.*)$/s;

const fields = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.string(), z.string()]);

/** Null if it is none, or of a version that this one does not know. */
export function readEndRecord(text: string): EndRecord | null {
  const parsed = fields.safeParse(form.exec(text)?.slice(1));
  if (!parsed.success) return null;
  const [state, cause, machine, canceled, failure, seconds, sip] = parsed.data;
  return {
    at: new Date(Number(seconds) * 1000),
    ending: {
      ...channelState(state),
      cause: Number(cause),
      sipStatus: finalSipStatus(sip),
      machine: isMachine(machine),
      canceled: canceled === '1',
      handoffFailed: failure !== '',
    },
  };
}

/** The progress of a call, by the state of its channel. */
export function channelState(state: string): { rang: boolean; answered: boolean } {
  const answered = state === 'Up';
  return { answered, rang: answered || state === 'Ringing' || state === 'Ring' };
}

export const isMachine = (verdict: string): boolean => verdict === 'MACHINE';

/** Provisional responses and 200 say nothing of a failure. */
function finalSipStatus(response: string): number | null {
  const status = Number(/^SIP (\d{3})\b/.exec(response)?.[1] ?? 0);
  return status >= 300 ? status : null;
}
