import { api, ok, type Schemas } from './api.ts';

export type Agent = Schemas['Agent'];

const agentsShown = 200;

/** The newest agents; more than that would not fit a list to choose from. */
export async function listAgents(): Promise<Agent[]> {
  const { data } = await ok(api.GET('/api/v1/agents', { params: { query: { limit: agentsShown } } }));
  return data.items;
}

/** An agent's settings as text. */
export function settingsOf({ config }: Agent): string {
  return JSON.stringify(config, null, 2);
}

/**
 * The version of an agent whose settings are still these, for `If-Match`.
 * @throws Error if they have changed
 */
export async function versionWith(agentId: string, settings: string): Promise<string> {
  const answer = api.GET('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agentId } } });
  const { data } = await ok(answer);
  if (settingsOf(data) !== settings) {
    throw new Error('Somebody has changed the settings meanwhile. Reload the page, and change them again.');
  }
  return (await answer).response.headers.get('ETag') ?? '';
}

export async function readAgent(agentId: string): Promise<Agent> {
  const { data } = await ok(
    api.GET('/api/v1/agents/{agent_id}', { params: { path: { agent_id: agentId } } }),
  );
  return data;
}
