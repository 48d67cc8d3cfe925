import type { GateReason } from '@outdial/db';

export const conditionTexts: Record<GateReason, string> = {
  stale: 'No other attempt to the recipient is in progress.',
  not_running: 'The campaign is running.',
  withdrawn: 'The recipient is on the list of the campaign and was not withdrawn.',
  suppressed: 'The number is not on the suppression list.',
  no_consent:
    'A valid consent covers the purpose of the campaign and is of a kind that the campaign accepts.',
  scrub_outdated: 'Each scrub list that the campaign needs was scrubbed within the last 31 days.',
  on_scrub_list: 'The number is on none of the scrub lists that the campaign needs.',
  changed: 'The decision used the current settings of the campaign.',
  not_due: 'The rules of the campaign allow another attempt.',
  window_closed: 'The calling window of the campaign is open in every time zone where the person may be.',
  calling_hours: 'Every rule that may apply at the location of the person allows a call at this time.',
  person_capped: 'The person was not called more often or more recently than the caps allow.',
  lease_expired: 'The claim of the attempt has not expired.',
  no_line_in_time: 'The call did not wait too long for a line.',
  number_in_call: 'The organization has no other call to the number in progress.',
  quota: 'The organization’s quota of calls and spend for the day is not used up.',
  no_slot: 'The call has a slot if calls per second are limited.',
  slot_to_come: 'The slot of the call has begun.',
  no_caller_id: 'The caller id of the call may be used.',
  slot_missed: 'The slot of the call has not passed.',
};
