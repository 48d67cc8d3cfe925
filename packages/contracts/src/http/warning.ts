import { z } from 'zod';

/** The codes of warnings. Clients branch on them, so codes are added and never changed. */
export const warningCodes = [
  'unknown_field',
  'prompt_value_missing',
  'prompt_single_braces',
  'open_all_day',
  'open_at_night',
  'default_timezone',
  'starts_in_the_past',
  'never_open',
  'stored_instants_stay',
  'would_be_refused',
  'hidden_rows',
  'hidden_columns',
  'unread_sheets',
  'repeated_number',
  'voice_endpoint_unset',
  'reversed_offset',
  'natural_voice_first',
  'rules_to_review',
  'consent_needed',
] as const;

/** An entry of `meta.warnings`: an accepted value that is probably a mistake. `loc` is as in a 422. */
export const warning = z
  .object({
    code: z.enum(warningCodes),
    loc: z.array(z.union([z.string(), z.int()])),
    msg: z.string(),
  })
  .meta({ id: 'Warning' });

export type Warning = z.output<typeof warning>;
