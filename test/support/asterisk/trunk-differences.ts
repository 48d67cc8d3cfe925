import type { Outcome } from '@outdial/core';
import { fates } from './carrier/fates.ts';
import type { CarrierCall } from './carrier/start-carrier.ts';
import type { TrunkCampaign } from './trunk-campaign.ts';
import { recipientNumbers } from './trunk-recipients.ts';
import type { RecordedCall } from './trunk-records.ts';
import { callerId } from './trunk-service.ts';

/** The outcome that the record of a call must have, given what the carrier saw. Null if the carrier saw no end. */
export function expectedOutcome(number: string, seen: CarrierCall | undefined): Outcome {
  const fate: string = Object.entries(fates).find(([ending]) => number.endsWith(ending))?.[1] ?? 'answers';
  switch (seen?.end) {
    case 'busy':
      return 'busy';
    case 'rang_out':
    case 'canceled':
      return 'no_answer';
    case 'declined':
      return 'rejected';
    case 'unknown_number':
      return 'invalid_number';
    case 'hung_up_by_us':
      return fate === 'machine' ? 'voicemail' : 'completed';
    case 'hung_up_by_carrier':
      return 'completed';
    // The carrier never answered, or reported congestion.
    case 'congestion':
    case undefined:
      return 'failed';
  }
}

/** The differences between the records and what the carrier saw. */
export function differences({ records, carrier }: TrunkCampaign): string[] {
  const seen = new Map(carrier.ended.map((call) => [call.number, call]));
  const recorded = new Map(records.map((record) => [record.number, record]));
  const faults: string[] = [];
  const all = recipientNumbers();
  if (records.length !== all.length) faults.push(`${records.length} records of ${all.length} calls`);
  if (carrier.invited.length !== all.length) {
    faults.push(`${carrier.invited.length} calls of ${all.length} reached the carrier`);
  }
  for (const number of all) {
    const record = recorded.get(number);
    const end = seen.get(number);
    const expected = expectedOutcome(number, end);
    if (!carrier.invited.includes(number)) faults.push(`${number} never reached the carrier`);
    if (!record) {
      faults.push(`${number} has no record`);
      continue;
    }
    if (record.outcome !== expected) {
      faults.push(`${number}: the record has ${record.outcome}, but the carrier saw ${expected}`);
    }
    if (end && end.callerId !== callerId) faults.push(`${number} was called by ${end.callerId}`);
    if (end && record.conversationId !== null && record.conversationId !== end.sipCallId) {
      faults.push(`${number} has the Call-ID of another call`);
    }
    faults.push(...conversationFaults(record));
  }
  return faults;
}

function conversationFaults({ number, digits, recording }: RecordedCall): string[] {
  const faults: string[] = [];
  if (number.endsWith('81') && digits !== '42') {
    faults.push(`${number} pressed 42, and "${digits}" was heard`);
  }
  if (!['00', '80', '81'].some((ending) => number.endsWith(ending))) return faults;
  if (recording === null) faults.push(`${number} has no recording`);
  else if (recording.seconds < 1 || recording.peak < 1_000) {
    faults.push(`${number}: a recording of ${recording.seconds} s, at most ${recording.peak} loud`);
  }
  return faults;
}
