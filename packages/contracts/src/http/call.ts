import { z } from 'zod';
import { dateTime, freeForm, promptParams, uuid } from './fields.ts';

const createdBy = z.object({ id: uuid, first_name: z.string(), last_name: z.string() });
const tag = z.object({ name: z.string(), id: uuid });

export const call = z
  .object({
    id: uuid.nullable(),
    agent_id: uuid.nullable(),
    organization_id: uuid.nullable(),
    provider: z.enum(['web', 'phone_outbound', 'phone_inbound']).nullable(),
    status: z.enum(['init', 'start', 'finish', 'error', 'other']).nullable(),
    type: z.enum(['inbound', 'outbound']).nullable(),
    phone_number: z.string().nullable(),
    conversation_id: z.string().nullable(),
    transcript: z.string().nullable(),
    duration: z.int().nullable().describe('Seconds of conversation'),
    cost: z.number(),
    notes: z.string().nullable(),
    recording_url: z.string().nullable().describe("This service's path to the audio"),
    events: z.array(freeForm).nullable().describe('`{type, at, …}`, oldest first'),
    prompt_params: freeForm.nullable(),
    call_extract: freeForm.nullable(),
    external_last_status: z.string().nullable().describe("The provider's own word"),
    meta: freeForm
      .nullable()
      .describe(
        'As sent, with `outcome` once it ended and `campaign_id`, `recipient_id`, `attempt` for a campaign',
      ),
    system_prompt: z.string().nullable(),
    comments: z.string().nullable(),
    quality: z.int().nullable(),
    created_by: createdBy.nullable(),
    created_at: dateTime.nullable(),
    tags: z.array(tag).nullable(),
  })
  .meta({ id: 'Call' });

export type Call = z.output<typeof call>;

/** Body of `POST /agents/{agent_id}/call`. Whether the number can be dialed at all is checked by the core's own rule. */
export const makeCallBody = z
  .object({
    to_phone: z
      .string()
      .regex(/^\+[1-9]\d{6,14}$/, 'Input should be a phone number in E.164 format')
      .describe('E.164'),
    prompt_params: promptParams.nullish(),
    meta: freeForm.nullish(),
  })
  .meta({ id: 'MakeCall' });

export type MakeCallBody = z.output<typeof makeCallBody>;
