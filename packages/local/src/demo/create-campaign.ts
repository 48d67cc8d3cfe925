import { recipientFields } from '@outdial/cli';
import type { DemoList } from './read-list.ts';
import type { RestClient } from './rest-client.ts';

/** With this many concurrent calls, two hundred take about twenty seconds: short, but long enough to watch. */
const maxConcurrentCalls = 40;

/** Creates the demo's campaign and starts it. Returns its id. */
export async function createDemoCampaign(
  client: RestClient,
  args: { list: DemoList; agentId: string; name: string },
): Promise<string> {
  const id = await client.send('POST', '/api/v1/campaigns', {
    name: args.name,
    agent_id: args.agentId,
    status: 'draft',
    ...recipientFields(args.list.recipients, undefined),
  });
  await client.send('PUT', `/api/v1/campaigns/${id}/config`, {
    call_on_weekend: true,
    call_back_attempts: 2,
    retry_delay_seconds: 2,
    max_concurrent_calls: maxConcurrentCalls,
  });
  await client.send('PUT', `/api/v1/campaigns/${id}/status`, { status: 'running' });
  return id;
}
