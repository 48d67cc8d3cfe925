import type { Warning } from '@outdial/contracts';
import {
  callingHours,
  callingKeyOf,
  type CampaignPurpose,
  consentRemedy,
  type CallingKey,
  ConflictError,
  judgeCarrierInstructions,
  judgeDestination,
  neededConsent,
  NotFoundError,
  refusalOf,
  type NeededConsent,
  resolveKey,
  rulesRemedy,
} from '@outdial/core';
import {
  type AgentContext,
  type CallLimits,
  cappedUntil,
  findOrganizationLimits,
  hasConsent,
  insertDirectCall,
  loadAgentContext,
  readPersonRestrictions,
  type JsonObject,
  type PersonRestrictions,
  type Tx,
  type AgentKey,
} from '@outdial/db';
import { checkPromptValues } from '../send/prompt-values.ts';
import { agentTelephony, resolveProvider } from '../send/agent-telephony.ts';
import type { ControlDeps, DialingSettings } from '../deps.ts';
import { destinationRules } from '../gate/destinations.ts';
import { requireCallsLeft } from '../gate/quotas.ts';
import { RefusedNumberError } from '../gate/refused-number-error.ts';

export interface RequestCallDeps extends ControlDeps {
  installationProvider: string;
  settings: Pick<DialingSettings, 'callQueueTimeoutSeconds'>;
}

export interface CallRequest extends AgentKey {
  /** E.164. */
  toPhone: string;
  promptParams: Record<string, string> | null;
  /** Whether to refuse a prompt with placeholders that have no value. */
  rejectMissingValues?: boolean;
  meta: JsonObject | null;
  /** A missing one counts as marketing. */
  purpose?: CampaignPurpose | null;
  /** The user behind the credential. */
  createdBy: string;
}

/**
 * Inserts a direct call in the caller's transaction. Publish it with `enqueueDirectCalls` after the commit.
 * @throws RefusedNumberError · MissingValuesError · NotFoundError · ConflictError `agent_without_prompt`, `number_suppressed`, `number_unchecked`, `person_capped`, `no_consent`,
 *   `voice_not_allowed`, `rules_unusable`, `outside_calling_hours`, `provider_unknown`, `quota_exceeded`
 */
export async function requestCallIn(
  tx: Tx,
  deps: RequestCallDeps,
  { rejectMissingValues = false, ...request }: CallRequest,
): Promise<{ callId: string; warnings: Warning[] }> {
  const { organizationId, agentId } = request;
  const { restrictions } = await readPersonRestrictions(tx, { organizationId, phoneNumber: request.toPhone });
  const agent = await loadAgentContext(tx, { organizationId, agentId });
  requireDestination(request.toPhone, agent?.limits ?? (await findOrganizationLimits(tx, organizationId)));
  if (!agent || agent.is_deleted) throw new NotFoundError('There is no such agent.');
  if (!agent.prompt) throw new ConflictError('agent_without_prompt', 'The agent has no prompt yet.');
  requireInstructions(agent);
  if (agent.rulesFault !== null) {
    throw new ConflictError('rules_unusable', `No calls are made: ${agent.rulesFault}. ${rulesRemedy}`);
  }
  const key = callingKeyOf(agent.calling_policy, { phoneNumber: request.toPhone }, 'UTC');
  const { purpose = null } = request;
  const isDebtCollection = purpose === 'debt_collection';
  requireUnrestricted(await restrictions, { ofRules: resolveKey(key).caps, isDebtCollection });
  const { promptParams } = request;
  const { missing, warnings } = checkPromptValues(agent.prompt.text, {
    promptParams,
    rejects: rejectMissingValues,
  });
  requireCallingHours(key, agent);
  await requireConsent(tx, neededConsent(key, { callingPolicy: agent.calling_policy, purpose }), request);
  await requireCallsLeft(tx, organizationId, agent.limits);
  const telephony = agentTelephony(agent.config);
  const provider = resolveProvider(
    { agent_provider: telephony.provider, default_provider: agent.default_provider },
    deps.installationProvider,
  );
  const callId = await insertDirectCall(tx, {
    ...request,
    purpose,
    provider,
    fromPhone: telephony.fromPhone,
    promptId: agent.prompt.id,
    missingPlaceholders: missing,
    queueTimeoutSeconds: deps.settings.callQueueTimeoutSeconds,
  });
  if (callId === null) {
    throw new ConflictError('provider_unknown', `There is no provider named ${provider}.`);
  }
  return { callId, warnings };
}

function requireInstructions({ config, instruction_rules: rules }: AgentContext): void {
  const refused = judgeCarrierInstructions(config, rules);
  if (refused === null) return;
  throw new ConflictError(
    'voice_not_allowed',
    `The agent's config.${refused.path.join('.')}: ${refused.message}.`,
  );
}

/** Refuses at once a call that could not pass its gate before its deadline. The gate still decides. */
function requireUnrestricted(
  restrictions: PersonRestrictions,
  caps: Parameters<typeof cappedUntil>[1],
): void {
  if (restrictions.isSuppressed) {
    throw new ConflictError(
      'number_suppressed',
      'The number is on the suppression list of the organization.',
    );
  }
  const { uncheckedWithinDays: days } = restrictions;
  if (days !== null) {
    throw new ConflictError(
      'number_unchecked',
      `The organization calls only numbers whose newest query of reassigned numbers is at most ${days} days old and says no (reassigned_query_days). Record one with POST /api/v1/number-queries/import.`,
    );
  }
  const until = cappedUntil(restrictions, caps);
  if (until === null) return;
  throw new ConflictError(
    'person_capped',
    `The person has been called as often as the caps of the organization and of the rules of the number allow. The next call is possible at ${until.toISOString()}.`,
  );
}

async function requireConsent(
  tx: Tx,
  needed: NeededConsent | null,
  { organizationId, toPhone }: CallRequest,
): Promise<void> {
  if (needed === null) return;
  if (await hasConsent(tx, { organizationId, phoneNumber: toPhone, ...needed })) return;
  throw new ConflictError(
    'no_consent',
    `No such consent is in force for this number. ${consentRemedy(needed)}`,
  );
}

/** A direct call does not wait for calling hours, which follow from its number. */
function requireCallingHours(key: CallingKey, { calling_policy: policy, now }: AgentContext): void {
  if (policy === 'none') return;
  const hours = callingHours(key, now);
  if (hours.kind === 'open') return;
  const until = hours.opensAt === null ? '' : `; they open at ${hours.opensAt.toISOString()}`;
  throw new ConflictError(
    'outside_calling_hours',
    `The calling hours of the number do not allow a call now${until}.`,
  );
}

function requireDestination(
  toPhone: string,
  limits: Pick<CallLimits, 'allowed_countries' | 'allowed_special_numbers'>,
): void {
  const refusal = refusalOf(judgeDestination(toPhone, destinationRules(limits)));
  if (refusal !== null) throw new RefusedNumberError(refusal);
}
