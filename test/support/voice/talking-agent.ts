import { addPrompt, addSkill, createAgent, type Db } from '@outdial/db';
import { z } from 'zod';
import { waitFor } from '../stack/wait-for.ts';

export interface AgentSkill {
  type: string;
  config: Record<string, unknown>;
}

/** Creates an agent that talks with the models `llm`, `stt` and `tts`, unless `voice` overrides them. */
export async function makeTalkingAgent(
  db: Db,
  args: {
    organizationId: string;
    voice: Record<string, unknown>;
    compliance?: Record<string, unknown>;
    skills: readonly AgentSkill[];
  },
): Promise<string> {
  const { organizationId, voice, compliance = {}, skills } = args;
  const agentId = await createAgent(db, {
    organizationId,
    name: 'Ada',
    // On a busy machine, a person of a test may be silent for longer than an agent waits by default.
    config: { voice: { mode: 'cascade', idle: { after_seconds: 120 }, ...voice }, compliance },
  });
  await addPrompt(db, { organizationId, agentId, level: 1, prompt: 'You are Ada.' });
  for (const [index, skill] of skills.entries()) {
    await addSkill(db, { organizationId, agentId, exec_order: String(index), enabled: true, ...skill });
  }
  return agentId;
}

const item = z.object({ data: z.looseObject({ id: z.string(), status: z.string().optional() }) });

/** Uploads a text to a new knowledge base over the API. Resolves with the id of the knowledge base once a worker has read the text. */
export async function uploadKnowledge(args: {
  baseUrl: string;
  apiKey: string;
  name: string;
  text: string;
}): Promise<string> {
  const url = `${args.baseUrl}/api/v1/knowledge-base`;
  const send = async (
    path: string,
    { headers, ...init }: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
  ) => {
    const response = await fetch(`${url}${path}`, {
      ...init,
      headers: { 'x-api-key': args.apiKey, ...headers },
    });
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return item.parse(await response.json()).data;
  };
  const headers = { 'content-type': 'application/json' };
  const base = await send('/', { method: 'POST', headers, body: JSON.stringify({ name: args.name }) });
  const form = new FormData();
  form.append('file', new Blob([args.text]), `${args.name}.txt`);
  const { id } = await send(`/${base.id}/items`, { method: 'POST', body: form });
  await waitFor('the text to be read', async () => {
    const { status } = await send(`/${base.id}/items/${id}`, { method: 'GET' });
    if (status === 'failed') throw new Error('the text could not be read');
    return status === 'ready';
  });
  return base.id;
}
