import { randomUUID } from 'node:crypto';
import { type AgentRow, type Db, findAgent, findAgentsByName } from '@outdial/db';
import {
  type CallNote,
  type ConversationDeps,
  createCheckedFetch,
  modelOf,
  openConversation,
  withToolAnswers,
} from '@outdial/voice';
import { Agent as Connections } from 'undici';
import { CliError } from '../cli-error.ts';
import { isId } from '../in-organization.ts';
import { requireEndpoints } from '../voice-endpoints.ts';

/** Text conversations with one agent. They never suppress a number. */
export interface Talk {
  agent: AgentRow;
  open(options: {
    promptParams: Record<string, string>;
    answers?: Record<string, string>;
    note: (note: CallNote) => void;
  }): Promise<Extract<Awaited<ReturnType<typeof openConversation>>, { kind: 'open' }>>;
  /** A model that plays another role. */
  model(endpoint: string): ReturnType<typeof modelOf>;
  close(): Promise<void>;
}

/** @throws CliError if the agent does not exist or cannot talk here */
export async function openTalk(
  db: Db,
  args: { organizationId: string; named: string; env: Readonly<Record<string, string | undefined>> },
): Promise<Talk> {
  const { organizationId, named } = args;
  const { endpoints, tools } = requireEndpoints(args.env);
  const agent = await findNamedAgent(db, organizationId, named);
  const { prompt } = agent;
  if (prompt === null) {
    throw new CliError('agent_without_prompt', `the agent ${agent.name} has no prompt yet`);
  }
  const connections = new Connections({ keepAliveTimeout: 60_000 });
  const fetch = tools == null ? null : createCheckedFetch(tools);
  const deps: ConversationDeps = {
    db,
    publisher: null,
    endpoints,
    connections,
    http: tools == null || fetch === null ? null : { ...tools, fetch },
    log: silent,
  };
  return {
    agent,
    async open({ promptParams, answers = {}, note }) {
      const opened = await openConversation(
        deps,
        {
          id: randomUUID(),
          organizationId,
          agentId: agent.id,
          config: agent.config,
          skills: agent.skills,
          prompt: {
            text: prompt.prompt,
            mitigation: prompt.mitigation,
            harmfulIntents: prompt.harmful_intents,
          },
          promptParams,
          phoneNumber: null,
          place: {},
        },
        {
          note,
          isSimulation: true,
          canTransfer: true,
          change: (made) => withToolAnswers(made, answers),
        },
      );
      if (opened.kind === 'open') return opened;
      const faults = opened.faults.map(({ path, message }) => `config.${path.join('.')}: ${message}`);
      throw new CliError('agent_does_not_talk', `the agent ${agent.name} cannot talk: ${faults.join('; ')}`);
    },
    model(endpoint) {
      if (!endpoints.has(endpoint)) {
        throw new CliError('no_endpoint', `the endpoint ${endpoint} does not exist: see docs/voice.md`);
      }
      return modelOf(
        deps,
        { llm: { endpoint, fallbacks: [], max_tokens: 400, timeout_ms: 30_000 } },
        silently,
      );
    },
    async close() {
      fetch?.close();
      await connections.destroy();
    },
  };
}

async function findNamedAgent(db: Db, organizationId: string, named: string): Promise<AgentRow> {
  const [id, another] = isId(named)
    ? [named]
    : await db.transaction().execute((tx) => findAgentsByName(tx, { organizationId, name: named }));
  if (another !== undefined) {
    throw new CliError('ambiguous_agent_name', `more than one agent is named ${named}: use the id`);
  }
  const agent = id === undefined ? null : await findAgent(db, { organizationId, agentId: id });
  if (agent === null) {
    throw new CliError(
      'agent_not_found',
      `the organization has no agent ${named}; \`outdial agent list\` has them all`,
    );
  }
  return agent;
}

const silently = () => undefined;
const silent = { debug: silently, info: silently, warn: silently, error: silently };
