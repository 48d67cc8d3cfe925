import { z } from 'zod';
import { campaignProgress, waitingReason } from './campaign-progress.ts';
import { dateTime } from './fields.ts';
import { role } from './role.ts';
import { warning } from './warning.ts';

const dialing = {
  next_dial_at: dateTime.nullable(),
  waiting_for: waitingReason.nullable(),
};

/** The content of `meta`. Fields will be added, so the compiler accepts anything. */
const meta: z.ZodType<Record<string, unknown>> = z
  .looseObject({
    warnings: z.array(warning).optional().describe('Values that were accepted but may be mistakes.'),
    next_dial_at: dateTime.nullable().optional().describe('When a running campaign dials next.'),
    waiting_for: waitingReason.nullable().optional().describe('Why a running campaign is not dialing.'),
    progress: z
      .union([campaignProgress, z.record(z.string(), campaignProgress)])
      .optional()
      .describe(
        'The progress of a campaign; for a page of campaigns, that of each, by id. Only with `fields=summary`.',
      ),
    campaigns: z
      .record(z.string(), z.object(dialing))
      .optional()
      .describe('When each running campaign of a page dials next, and why it waits, by id.'),
    role: role.optional().describe('The role of the credential. Only in `GET /api/v1/organization`.'),
  })
  .meta({ id: 'Meta', examples: [{}] });

/** The answer of the call, campaign, campaign config and agent endpoints. The interface would allow null; a success never has it. */
export function envelope<Data extends z.ZodType>(data: Data) {
  return z.object({ message: z.string(), meta, data });
}

/** The answer of the knowledge base endpoints. */
export function dataOnly<Data extends z.ZodType>(data: Data) {
  return z.object({ data });
}

type Meta = Record<string, unknown>;

export interface Envelope<Data> {
  message: string;
  meta: Meta;
  data: Data;
}

export function got<Data>(data: Data, meta: Meta = {}): Envelope<Data> {
  return { message: 'Data got correctly', meta, data };
}

export function created<Data>(data: Data, meta: Meta = {}): Envelope<Data> {
  return { message: 'Data created correctly', meta, data };
}

export function updated<Data>(data: Data, meta: Meta = {}): Envelope<Data> {
  return { message: 'Data updated correctly', meta, data };
}

export function deleted<Data>(data: Data, meta: Meta = {}): Envelope<Data> {
  return { message: 'Data deleted correctly', meta, data };
}
