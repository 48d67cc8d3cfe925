import { z } from 'zod';
import type { CallEnding } from './outcome.ts';

/** How a call ended. The dialplan stores it on the Asterisk, even if no process listens. */
export interface EndRecord {
  at: Date;
  ending: Omit<CallEnding, 'rang'> & { rang: boolean };
}

// `1|<channel state>|<hangup cause>|<AMD's verdict>|<canceled>|<media handoff failed>|<seconds since 1970>|<last SIP response>`. The SIP
// response comes last, because the carrier chooses its text.
const form = /^1\|([A-Za-z ]*)\|(\d{0,3})\|([A-Z]*)\|(1?)\|([a-z_]*)\|(\d{10})\|(.*)$/s;

const fields = z.tuple([z.string(), z.string(), z.string(), z.string(), z.string(), z.string(), z.string()]);

/** Null if the text is not an end record, or has an unknown version. */
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

/** Ignores provisional responses and 200, which report no failure. */
function finalSipStatus(response: string): number | null {
  const status = Number(/^SIP (\d{3})\b/.exec(response)?.[1] ?? 0);
  return status >= 300 ? status : null;
}
