import { performance } from 'node:perf_hooks';
import {
  chooseFromPool,
  isUnstorableText,
  loadAgentContext,
  onCommit,
  passGate,
  refuseRecipients,
  replanRecipients,
  setAside,
  type AdvanceView,
  type AgentContext,
  type CallerIdPool,
  type CampaignDials,
  type CampaignDefinition,
  type ChosenRecipient,
  type GateAnswer,
  type GateReason,
  type GateTerms,
  type OpenWindow,
  type RefusedRecipient,
  type Tx,
} from '@outdial/db';
import { LRUCache } from 'lru-cache';
import { agentTelephony } from '../send/agent-telephony.ts';
import type { GatedCall } from '../send/gated-call.ts';
import { openWindows } from '../gate/open-windows.ts';
import type { DialingDeps } from '../deps.ts';
import { isAllowedDestination } from '../gate/destinations.ts';
import { inSpan } from '../spans.ts';
import { lookUpGraceMs } from '../timing.ts';
import { decideAfterRefusal } from './gate-refusal.ts';

export type DialDueDeps = Pick<DialingDeps, 'log' | 'metrics' | 'mediaRuntimes'>;

export interface PeopleToDial {
  view: AdvanceView;
  people: readonly ChosenRecipient[];
  pool: CallerIdPool | null;
  paceLeft: number | null;
}

/** The windows that are open to people of campaigns of one organization. @throws UnwrittenGroundsError handled by `inGate` */
export function windowsOf(
  dialing: ReadonlyArray<Pick<PeopleToDial, 'view' | 'people'>>,
  now: Date,
): OpenWindow[][] {
  const asked = dialing.map(({ view: { definition }, people }) => {
    return { definition, keys: new Set(people.map(({ zone }) => zone)) };
  });
  return openWindows(asked, now);
}

/**
 * Passes the gate with recipients of campaigns of one organization, and gives those that it refuses their next state. `calls`: by campaign; `at`: the
 * instant of the gate.
 */
export async function passDue(
  tx: Tx,
  deps: DialDueDeps,
  asked: readonly PeopleToDial[],
  now: Date,
): Promise<{ calls: Map<string, GatedCall[]>; at: Date }> {
  const dialing = asked.filter(({ people }) => people.length > 0);
  const calls = new Map<string, GatedCall[]>();
  if (dialing.length === 0) return { calls, at: now };
  const windows = windowsOf(dialing, now);
  const readAgents = await agentsOf(tx, dialing);
  const dials: Dials[] = [];
  for (const [at, { view, people, pool, paceLeft }] of dialing.entries()) {
    const { definition, has_caller_ids: needsCallerId } = view;
    const agent = readAgents[at];
    if (agent === undefined) throw new Error('an agent was not read');
    const { organizationId } = definition;
    const callerIds = pool === null ? [] : await chooseFromPool(tx, { organizationId, pool }, people);
    const more = { windows: windows[at] ?? [], paceLeft, needsCallerId };
    dials.push({
      definition,
      agent,
      people,
      terms: termsOf(definition, agent, more),
      dials: people.map(({ recipientId, callId, phoneNumber }, nth) => ({
        recipientId,
        callId,
        callerId: callerIds[nth] ?? null,
        isAllowedDestination: isAllowedDestination(phoneNumber, agent.limits),
      })),
    });
  }
  const gateBeganAtMs = performance.now();
  const answers = await inGateSpan(dials, () => passGate(tx, dials)).catch((error: unknown) => {
    const [only, ...others] = dialing.flatMap(({ people }) => people);
    const isOfOne = only !== undefined && others.length === 0 && isUnstorableText(error);
    throw isOfOne ? new FaultOfPersonError(only.recipientId, error) : error;
  });
  const instants: Date[] = [];
  for (const { definition, agent, people } of dials) {
    const { organizationId, id: campaignId } = definition;
    const passed: GatedCall[] = [];
    const refused: Refused[] = [];
    for (const { recipientId, callId } of people) {
      const answer = answers.get(callId);
      if (answer === undefined) throw new Error('the gate left out a call');
      if (answer.kind === 'refused') {
        refused.push({ recipientId, answer });
        continue;
      }
      const { pass, attempt } = answer;
      const promptText = agent.prompt?.text ?? '';
      const ids = { organizationId, campaignId, recipientId };
      passed.push({ pass, ...ids, agent, promptText, attempt, meta: {}, gateBeganAtMs });
      instants.push(pass.gatedAt);
    }
    calls.set(campaignId, passed);
    await refuse(tx, deps, definition, refused);
  }
  return { calls, at: instants[0] ?? now };
}

interface Dials extends CampaignDials {
  definition: CampaignDefinition;
  agent: AgentContext;
  people: readonly ChosenRecipient[];
}

/** The gate failed because of the data of one person. */
export class FaultOfPersonError extends Error {
  readonly recipientId: string;

  constructor(recipientId: string, cause: unknown) {
    super('the data of a recipient cannot be stored', { cause });
    this.recipientId = recipientId;
  }
}

interface Refused {
  recipientId: string;
  answer: Extract<GateAnswer, { kind: 'refused' }>;
}

async function refuse(
  tx: Tx,
  deps: DialDueDeps,
  definition: CampaignDefinition,
  refused: readonly Refused[],
): Promise<void> {
  const [first] = refused;
  if (first === undefined) return;
  const { now } = first.answer;
  const key = { organizationId: definition.organizationId, campaignId: definition.id };
  const rows: RefusedRecipient[] = [];
  const replanned: string[] = [];
  for (const { recipientId, answer } of refused) {
    const next = decideAfterRefusal(answer, definition);
    if (next === 'replan') replanned.push(recipientId);
    rows.push({
      recipientId,
      next: next === 'replan' ? { state: 'pending', at: now } : next,
      refusal: answer,
    });
  }
  await refuseRecipients(tx, key, rows, now);
  for (const recipientId of replanned) await replan(tx, definition, recipientId, now);
  const reasons = refused.map(({ answer }): GateReason => answer.reason);
  onCommit(tx, () => {
    for (const reason of reasons) deps.metrics.gateRefused(reason);
    deps.log.debug({ campaign_id: key.campaignId, reasons }, 'the gate refused recipients');
  });
}

/** Plans a recipient again that is no longer due under the current rules. If its plan stays as it was, it would be refused again at once, so it is set aside. */
async function replan(tx: Tx, definition: CampaignDefinition, recipientId: string, now: Date): Promise<void> {
  const which = { kind: 'these', recipientIds: [recipientId] } as const;
  if ((await replanRecipients(tx, definition, which, now)) > 0) return;
  const key = { organizationId: definition.organizationId, campaignId: definition.id };
  const failure = 'the gate refused an attempt that the rules allow';
  await setAside(tx, key, { recipientId, failure });
}

/** Agents by campaign and revision. A change of an agent or of the limits of its organization is a new revision of its campaigns. */
const agents = new LRUCache<string, AgentContext>({ max: 1_000, ttl: 1_000 });

/** The agents of campaigns, in their order. Reads those that are not known, each once for all of its campaigns. */
function agentsOf(tx: Tx, campaigns: readonly PeopleToDial[]): Promise<AgentContext[]> {
  const loaded = new Map<string, Promise<AgentContext | null>>();
  return Promise.all(
    campaigns.map(async ({ view: { definition } }) => {
      const { id, revision, organizationId, agentId } = definition;
      const key = `${id} ${revision}`;
      const known = agents.get(key);
      if (known !== undefined) return known;
      const loading = loaded.get(agentId) ?? loadAgentContext(tx, { organizationId, agentId });
      loaded.set(agentId, loading);
      const agent = await loading;
      if (agent === null) throw new Error('the agent of a running campaign does not exist');
      agents.set(key, agent);
      return agent;
    }),
  );
}

function termsOf(
  definition: CampaignDefinition,
  agent: AgentContext,
  more: Pick<GateTerms, 'windows' | 'paceLeft' | 'needsCallerId'>,
): GateTerms {
  const { id: campaignId, startedBy: createdBy, ...terms } = definition;
  if (createdBy === null) throw new Error('a running campaign was never started');
  if (agent.prompt === null) throw new Error('the agent of a running campaign has no prompt');
  const { fromPhone } = agentTelephony(agent.config);
  return { ...terms, campaignId, createdBy, promptId: agent.prompt.id, fromPhone, lookUpGraceMs, ...more };
}

/** A span for the gate, which names the campaign if there is one. */
function inGateSpan<Answers>(of: readonly Dials[], gate: () => Promise<Answers>): Promise<Answers> {
  const [first, ...others] = of;
  const attributes = {
    ...(first && { 'outdial.organization_id': first.definition.organizationId }),
    ...(first && others.length === 0 && { 'outdial.campaign_id': first.definition.id }),
    'outdial.campaigns': of.length,
    'outdial.calls': of.reduce((sum, { people }) => sum + people.length, 0),
  };
  return inSpan('gate', { attributes }, gate);
}
