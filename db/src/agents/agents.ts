import { sql, type Selectable } from 'kysely';
import type { JsonObject } from '../schema/columns.ts';
import type { Executor, Tx } from '../transaction.ts';
import {
  newestFirst,
  type NewestFirst,
  rowInstant,
  isOlder,
  type NewestIdFirst,
} from '../lists/newest-first.ts';
import { noteChange } from '../audit/audit-scope.ts';
import type { AgentPromptTable, AgentSkillTable } from '../schema/agents.ts';
import type { AgentKey } from '../keys.ts';

export interface NewAgent {
  organizationId: string;
  name: string;
  config?: JsonObject;
}

export async function createAgent(db: Executor, agent: NewAgent): Promise<string> {
  const row = await db
    .insertInto('agents')
    .values({
      organization_id: agent.organizationId,
      name: agent.name,
      config: JSON.stringify(agent.config ?? {}),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export interface AgentRow {
  id: string;
  organization_id: string;
  organization_name: string;
  name: string;
  config: JsonObject;
  created_at: Date;
  skills: Array<Pick<SkillRow, 'id' | 'type' | 'exec_order' | 'enabled' | 'config'>>;
  /** The newest; null if there is none. */
  prompt: Pick<PromptRow, 'level' | 'prompt' | 'explanation' | 'mitigation' | 'harmful_intents'> | null;
}

/** For `agents a`. */
export const skillsOfAgent = sql`
  (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'type', s.type, 'exec_order', s.exec_order,
                                                'enabled', s.enabled, 'config', s.config)
                             order by s.exec_order, s.id), '[]')
     from agent_skills s
    where s.organization_id = a.organization_id and s.agent_id = a.id)`;

/** For `agents a` joined with `organizations o`. */
export const agentColumns = sql`
  a.id, a.organization_id, o.name as organization_name, a.name, a.config, a.created_at, ${skillsOfAgent} as skills,
  (select jsonb_build_object('level', p.level, 'prompt', p.prompt, 'explanation', p.explanation,
                             'mitigation', p.mitigation, 'harmful_intents', p.harmful_intents)
     from agent_prompts p
    where p.organization_id = a.organization_id and p.agent_id = a.id
    order by p.id desc limit 1) as prompt`;

/** Null if the agent does not exist or was deleted. */
export async function findAgent(
  db: Executor,
  { organizationId, agentId }: AgentKey,
): Promise<AgentRow | null> {
  const { rows } = await sql<AgentRow>`
    select ${agentColumns}
    from agents a
    join organizations o on o.id = a.organization_id
    where a.organization_id = ${organizationId} and a.id = ${agentId} and a.deleted_at is null`.execute(db);
  return rows[0] ?? null;
}

export interface ListedAgentRow extends AgentRow {
  row_instant: string;
}

/** Newest first, without deleted agents. */
export async function listAgents(
  db: Executor,
  { organizationId, page }: { organizationId: string; page: NewestFirst },
): Promise<ListedAgentRow[]> {
  const { rows } = await sql<ListedAgentRow>`
    select ${agentColumns}, ${rowInstant('a.created_at')} as row_instant
    from agents a
    join organizations o on o.id = a.organization_id
    where a.organization_id = ${organizationId} and a.deleted_at is null
      ${newestFirst({ at: 'a.created_at', id: 'a.id' }, page)}`.execute(db);
  return rows;
}

/** Null if the agent does not exist or was deleted. */
export async function findAgentConfig(
  db: Executor,
  { organizationId, agentId }: AgentKey,
): Promise<JsonObject | null> {
  const { rows } = await sql<{ config: JsonObject }>`
    select config from agents
    where organization_id = ${organizationId} and id = ${agentId} and deleted_at is null`.execute(db);
  return rows[0]?.config ?? null;
}

/** An omitted field does not change. `skills` replaces all skills. */
export interface AgentChange {
  name?: string | undefined;
  config?: JsonObject | undefined;
  skills?: readonly NewSkill[] | undefined;
}

export async function updateAgent(
  tx: Tx,
  args: AgentKey & {
    change: AgentChange;
    now: Date;
    /** Runs when the agent is locked, and throws to refuse the change. */
    precondition?: (before: AgentRow) => Promise<void>;
  },
): Promise<AgentRow | null> {
  const { organizationId, agentId, change, now } = args;
  const { name, config, skills } = change;
  await tx
    .selectFrom('agents')
    .select('id')
    .where('organization_id', '=', organizationId)
    .where('id', '=', agentId)
    .forNoKeyUpdate()
    .execute();
  const before = await findAgent(tx, { organizationId, agentId });
  if (before === null) return null;
  await args.precondition?.(before);
  await tx
    .updateTable('agents')
    .set({
      updated_at: now,
      name,
      config: config && JSON.stringify(config),
    })
    .where('organization_id', '=', organizationId)
    .where('id', '=', agentId)
    .execute();
  if (skills !== undefined) await replaceSkills(tx, { organizationId, agentId, skills });
  const after = await findAgent(tx, { organizationId, agentId });
  if (after !== null) {
    noteChange({ type: 'agent', id: agentId, before: loggable(before), after: loggable(after) });
  }
  return after;
}

/** Leaves out the ids of skills, because each change inserts all skills again. */
function loggable({ name, config, skills }: AgentRow) {
  return {
    name,
    config,
    skills: skills.map((skill) => [skill.type, skill.exec_order, skill.enabled, skill.config]),
  };
}

export type DeleteAgentResult =
  | { kind: 'deleted' }
  | { kind: 'not_found' }
  /** Unfinished campaigns or calls use the agent. */
  | { kind: 'in_use'; campaigns: number; calls: number };

/** Deletes an unused agent. The row stays for the records of past campaigns and calls, but no list or read returns it. */
export async function deleteAgent(tx: Tx, args: AgentKey & { now: Date }): Promise<DeleteAgentResult> {
  const { organizationId, agentId, now } = args;
  // Conflicts with foreign keys, so that a concurrent campaign or call is either seen below, or finds no agent.
  const agent = await tx
    .selectFrom('agents')
    .select('name')
    .where('organization_id', '=', organizationId)
    .where('id', '=', agentId)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  if (agent === undefined) return { kind: 'not_found' };
  const { rows } = await sql<{ campaigns: number; calls: number }>`
    select (select count(*)::int from campaigns where organization_id = ${organizationId} and agent_id = ${agentId}
              and status in ('draft', 'paused', 'running') and deleted_at is null) as campaigns,
           (select count(*)::int from (
              select from calls where organization_id = ${organizationId} and agent_id = ${agentId} and phase <> 'ended'
              limit 1) live) as calls`.execute(tx);
  const [uses] = rows;
  if (uses !== undefined && uses.campaigns + uses.calls > 0) return { kind: 'in_use', ...uses };
  await tx
    .updateTable('agents')
    .set({ deleted_at: now, updated_at: now })
    .where('organization_id', '=', organizationId)
    .where('id', '=', agentId)
    .execute();
  noteChange({ type: 'agent', id: agentId, before: { name: agent.name } });
  return { kind: 'deleted' };
}

export type NewPrompt = Pick<PromptRow, 'level' | 'prompt'> &
  Partial<Pick<PromptRow, 'explanation' | 'mitigation' | 'harmful_intents'>>;

export type PromptRow = Selectable<AgentPromptTable>;

const promptColumns = [
  'id',
  'organization_id',
  'agent_id',
  'level',
  'prompt',
  'explanation',
  'mitigation',
  'harmful_intents',
  'created_at',
] as const;

export async function addPrompt(db: Executor, prompt: AgentKey & NewPrompt): Promise<PromptRow> {
  const row = await db
    .insertInto('agent_prompts')
    .values({
      organization_id: prompt.organizationId,
      agent_id: prompt.agentId,
      level: prompt.level,
      prompt: prompt.prompt,
      explanation: prompt.explanation ?? '',
      mitigation: prompt.mitigation ?? '',
      harmful_intents: JSON.stringify(prompt.harmful_intents ?? []),
    })
    .returning(promptColumns)
    .executeTakeFirstOrThrow();
  return row;
}

export function listPrompts(
  db: Executor,
  { organizationId, agentId, page }: AgentKey & { page: NewestIdFirst },
): Promise<PromptRow[]> {
  return db
    .selectFrom('agent_prompts')
    .select(promptColumns)
    .where('organization_id', '=', organizationId)
    .where('agent_id', '=', agentId)
    .where(isOlder('id', page.after))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
}

type SkillRow = Selectable<AgentSkillTable>;
export type NewSkill = Pick<SkillRow, 'type' | 'exec_order'> & Partial<Pick<SkillRow, 'enabled' | 'config'>>;

export async function addSkill(
  db: Executor,
  { organizationId, agentId, config = {}, ...skill }: AgentKey & NewSkill,
): Promise<string> {
  const row = await db
    .insertInto('agent_skills')
    .values({
      organization_id: organizationId,
      agent_id: agentId,
      type: skill.type,
      exec_order: skill.exec_order,
      enabled: skill.enabled ?? true,
      config: JSON.stringify(config),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

export async function replaceSkills(
  tx: Tx,
  { skills, ...key }: AgentKey & { skills: readonly NewSkill[] },
): Promise<void> {
  await tx
    .deleteFrom('agent_skills')
    .where('organization_id', '=', key.organizationId)
    .where('agent_id', '=', key.agentId)
    .execute();
  for (const skill of skills) await addSkill(tx, { ...skill, ...key });
}
