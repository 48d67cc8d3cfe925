import { campaign } from '@outdial/contracts';
import { z } from 'zod';
import type { ApiAnswer, ContractClient } from '../api/contract-client.ts';
import type { TestOrganization } from '../api/api-world.ts';

export const numbers = ['+15551230000', '+15551230001', '+15551230002'];

const answered = z.object({ message: z.string(), meta: z.record(z.string(), z.unknown()), data: campaign });

export function campaignOf(answer: ApiAnswer) {
  if (answer.status !== 200) throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.json)}`);
  return answered.parse(answer.json).data;
}

/** A campaign that starts in an hour, so that nothing is due during the test. */
export async function createPaused(client: ContractClient, owner: TestOrganization, fields: object = {}) {
  const answer = await client.send('POST /api/v1/campaigns', {
    key: owner.keys.manager,
    json: {
      name: 'Spring',
      agent_id: await owner.agent(),
      phone_numbers: numbers,
      status: 'paused',
      ...fields,
    },
  });
  return campaignOf(answer);
}
