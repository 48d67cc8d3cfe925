import type { AgentSkill } from '@outdial/core';
import type { TransferRefusal } from '@outdial/engine';
import { knowledgeBasesOf } from '@outdial/runtime';
import { z } from 'zod';
import { endCallTool, optOutTool, sendDtmfTool, transferCallTool } from './call-tools.ts';
import type { CheckedFetch } from './checked-fetch.ts';
import { type CallIdentity, httpRequestConfig, httpRequestTool, isAllowedHost } from './http-request-tool.ts';
import { knowledgeBaseTool, type SearchKnowledge } from './knowledge-base-tool.ts';
import type { CallNote, Tool } from './tool.ts';

/** The dependencies of a call's tools. A skill that needs one that is null is left out, with a note. */
export interface ToolContext {
  call: CallIdentity;
  search: SearchKnowledge;
  /** Suppresses the number of the call. Resolves after the commit. */
  suppress: ((reason: string) => Promise<void>) | null;
  /** Whether the organization may call this number. */
  mayDial: (phoneNumber: string) => boolean;
  /** Why an allowed number may not be dialed now, or null. */
  refusalOfTransfer: (phoneNumber: string) => Promise<TransferRefusal | null>;
  http: { fetch: CheckedFetch; hosts: readonly string[]; secret: string } | null;
  now: () => Date;
  canTransfer: boolean;
}

type Made = { tool: Tool } | { fault: string };

const target = z.strictObject({
  name: z.string().min(1).max(100),
  to: z.string().regex(/^\+[1-9]\d{6,14}$/, 'must be a phone number in E.164 format'),
  mode: z.enum(['warm', 'cold']).default('cold'),
});
const transferConfig = z.union(
  [
    z.strictObject({ targets: z.tuple([target], target).refine((list) => list.length <= 20) }),
    target
      .omit({ name: true })
      .transform((only) => ({ targets: [{ ...only, name: 'a colleague' }] as const })),
  ],
  { error: 'must have `to`, or `targets` of `name` and `to`' },
);

/** The tools of an agent's enabled skills, in the order of `exec_order`. Each name is used once. */
export function toolsOfAgent(
  skills: readonly AgentSkill[],
  reach: ToolContext,
): { tools: Tool[]; notes: CallNote[] } {
  const tools = new Map<string, Tool>();
  const notes: CallNote[] = [];
  const enabled = skills
    .filter((skill) => skill.enabled)
    .toSorted((a, b) => a.exec_order.localeCompare(b.exec_order, 'en', { numeric: true }));
  for (const skill of enabled) {
    const made = make(skill, { enabled, reach });
    const about = { skill_id: skill.id, skill_type: skill.type };
    if (made === null) {
      notes.push({ type: 'skill_unknown', ...about });
    } else if ('fault' in made) {
      notes.push({ type: 'skill_faulty', ...about, fault: made.fault });
    } else if (!tools.has(made.tool.declaration.name)) {
      tools.set(made.tool.declaration.name, made.tool);
    } else if (skill.type !== 'knowledge_base') {
      notes.push({
        type: 'skill_faulty',
        ...about,
        fault: `another skill is already named ${made.tool.declaration.name}`,
      });
    }
  }
  return { tools: [...tools.values()], notes };
}

/** Null for an unknown type. */
function make(
  skill: AgentSkill,
  { enabled, reach }: { enabled: AgentSkill[]; reach: ToolContext },
): Made | null {
  switch (skill.type) {
    case 'knowledge_base': {
      const ids = knowledgeBasesOf(enabled);
      if (ids.length === 0) return { fault: 'knowledge_base_ids names no knowledge base' };
      return { tool: knowledgeBaseTool(ids, reach.search) };
    }
    case 'end_call':
      return { tool: endCallTool() };
    case 'opt_out':
      if (reach.suppress === null) return { fault: 'there is no number to suppress' };
      return { tool: optOutTool(reach.suppress) };
    case 'send_dtmf':
      return { tool: sendDtmfTool() };
    case 'transfer_call':
      if (!reach.canTransfer) return { fault: 'the line does not support transfers' };
      return makeTransfer(skill.config, reach);
    case 'http_request':
      return makeRequest(skill.config, reach);
    default:
      return null;
  }
}

function makeTransfer(config: unknown, { mayDial, refusalOfTransfer }: ToolContext): Made {
  const read = transferConfig.safeParse(config);
  if (!read.success) return { fault: faultOf(read.error) };
  const [first, ...others] = read.data.targets.filter(({ to }) => mayDial(to));
  if (first === undefined) return { fault: 'the organization may not call any of the numbers' };
  return { tool: transferCallTool([first, ...others], refusalOfTransfer) };
}

function makeRequest(config: unknown, { http, call, now }: ToolContext): Made {
  if (http === null) return { fault: 'VOICE_TOOL_HOSTS names no host' };
  const read = httpRequestConfig.safeParse(config);
  if (!read.success) return { fault: faultOf(read.error) };
  if (!isAllowedHost(read.data.url, http.hosts)) {
    return { fault: 'url: VOICE_TOOL_HOSTS does not name its host' };
  }
  return { tool: httpRequestTool(read.data, { ...http, call, now }) };
}

function faultOf(error: z.ZodError): string {
  const [issue] = error.issues;
  const path = issue?.path.join('.') ?? '';
  return `${path === '' ? 'config' : path}: ${issue?.message ?? 'is invalid'}`;
}
