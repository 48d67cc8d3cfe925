import { z } from 'zod';
import { call } from './call.ts';
import { dateTime, e164, freeForm, uuid } from './fields.ts';
import { suppression } from './suppression.ts';

/** Body of `POST /erasures`. */
export const erasureBody = z
  .strictObject({
    phone_number: e164,
    keep_suppressed: z
      .boolean()
      .default(false)
      .describe('Whether to keep the number on the suppression list, and nowhere else.'),
    forget_opt_out: z
      .boolean()
      .default(false)
      .describe(
        'Whether to forget that the person asked for no calls. By default, a keyed hash of a suppressed number stays, which cannot be read as a number, so that the person is not called again.',
      ),
  })
  .meta({ id: 'ErasePerson', examples: [{ phone_number: '+15551230042', keep_suppressed: true }] });

/** A receipt, without the number. */
export const erasure = z
  .object({
    id: uuid,
    created_at: dateTime,
    requested_by: uuid.nullable().describe('The user who requested the erasure. Null for an operator.'),
    state: z
      .enum(['done', 'pending', 'failed'])
      .describe(
        '`pending` while recordings still have to be deleted by their providers; `failed` if a provider refused.',
      ),
    calls: z.int().describe('The number of calls from which the phone number was removed.'),
    recipients: z.int(),
    suppressions: z.int(),
    recordings: z.object({ deleted: z.int(), pending: z.int(), failed: z.int() }),
  })
  .meta({
    id: 'Erasure',
    examples: [
      {
        id: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c11',
        created_at: '2026-03-01T09:00:00.000Z',
        requested_by: '0197a5b2-6f0e-7c3a-9d52-1f6f0a3b2c12',
        state: 'done',
        calls: 3,
        recipients: 1,
        suppressions: 0,
        recordings: { deleted: 2, pending: 0, failed: 0 },
      },
    ],
  });

export type Erasure = z.output<typeof erasure>;

export const personExport = z
  .object({
    phone_number: z.string(),
    exported_at: dateTime,
    suppression: suppression.nullable(),
    recipients: z.array(
      z.object({
        id: uuid,
        campaign_id: uuid,
        campaign_name: z.string(),
        state: z.string(),
        attempts: z.int(),
        round: z.int(),
        last_outcome: z.string().nullable(),
        timezone: z.string(),
        prompt_params: freeForm.nullable(),
        first_attempt_at: dateTime.nullable(),
        next_attempt_at: dateTime.nullable(),
      }),
    ),
    calls: z.array(call).describe("The person's calls, newest first."),
    complete: z
      .boolean()
      .describe('False if there are more calls than fit. Read the rest with `GET /calls?phone_number=`.'),
  })
  .meta({ id: 'PersonExport' });

export type PersonExport = z.output<typeof personExport>;
