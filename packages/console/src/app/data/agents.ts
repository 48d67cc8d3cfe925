import { api, ok, type Schemas } from './api.ts';

export type Agent = Schemas['Agent'];

const agentsShown = 200;

/** The newest agents; more than that would not fit a list to choose from. */
export async function listAgents(): Promise<Agent[]> {
  const { data } = await ok(api.GET('/api/v1/agents', { params: { query: { limit: agentsShown } } }));
  return data.items;
}

export async function readAgent(agentId: string): Promise<Agent> {
  const { data } = await ok(
    api.GET('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agentId } } }),
  );
  return data;
}
