import type { callFilterShape } from '@outdial/contracts';
import type { CallFilters } from '@outdial/db';
import type { z } from 'zod';

export function callFilters(query: z.output<z.ZodObject<typeof callFilterShape>>): CallFilters {
  return {
    campaignId: query.campaign_id,
    agentId: query.agent_id,
    phoneNumber: query.phone_number,
    status: query.status,
    outcome: query.outcome,
    from: query.from,
    to: query.to,
  };
}
