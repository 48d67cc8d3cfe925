import type { CallFact } from '@outdial/core';
import { faultOf, outcomeOf, type CallEnding } from './outcome.ts';

/** The end of a call as a fact for the engine. The same end always has the same id, so that duplicates are ignored. */
export function endedFact(
  callId: string,
  at: Date,
  ending: CallEnding,
  recordingUrl: string | null = null,
): CallFact {
  const fault = faultOf(ending);
  return {
    kind: 'ended',
    eventId: `${callId}:ended`,
    at,
    outcome: outcomeOf(ending),
    details: { externalStatus: statusText(ending), recordingUrl },
    ...(fault && { fault }),
  };
}

/** Describes the end in Asterisk's terms, for questions to the carrier. */
function statusText(ending: CallEnding): string {
  return [
    `cause ${ending.cause}`,
    ending.sipStatus === null ? null : `SIP ${ending.sipStatus}`,
    ending.answered ? 'answered' : ending.rang ? 'rang' : 'did not ring',
    ending.machine ? 'machine' : null,
    ending.canceled ? 'hung up by the engine' : null,
    ending.handoffFailed ? 'not connected to a voice runtime' : null,
  ]
    .filter((part) => part !== null)
    .join(', ');
}
