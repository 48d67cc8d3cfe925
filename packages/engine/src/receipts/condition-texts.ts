import type { GateReason } from '@outdial/db';

/** Each condition of the gate in words, for readers of receipts. */
export const conditionTexts: Record<GateReason, string> = {
  stale: 'This attempt is the only one under way for the recipient.',
  not_running: 'The campaign is running.',
  withdrawn: 'The recipient is on the list of the campaign and was not withdrawn.',
  suppressed: 'The number is not on the suppression list.',
  no_consent: 'A consent is in force that the campaign accepts and that covers its purpose.',
  scrub_outdated: 'Each scrub list that the campaign needs was scrubbed within the last 31 days.',
  on_scrub_list: 'The number is on none of the scrub lists that the campaign needs.',
  changed: 'The decision rests on the settings of the campaign that are in force.',
  not_due: 'The rules of the campaign give the recipient a further attempt.',
  window_closed: 'The calling window of the campaign is open in every time zone where the person may be.',
  calling_hours: 'Every rule that may apply at the location of the person allows a call at this time.',
  person_capped: 'The person was not called more often than the caps allow, nor too shortly before.',
  lease_expired: 'The claim of the attempt has not expired.',
  no_line_in_time: 'The call did not wait too long for a line.',
  number_in_call: 'The organization has no other call to the number in progress.',
  quota: 'The organization’s quota of calls and spend for the day is not used up.',
  no_slot: 'The call has a slot of time if calls per second are limited.',
  slot_to_come: 'The slot of the call has come.',
  no_caller_id: 'The caller id of the call may be used.',
  slot_missed: 'The slot of the call has not passed.',
};
