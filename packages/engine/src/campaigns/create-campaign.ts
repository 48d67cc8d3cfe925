import type { CreateCampaignBody } from '@outdial/contracts';
import { type CallingPolicy, NotFoundError } from '@outdial/core';
import {
  engineNow,
  findOrganizationLimits,
  inTransaction,
  insertCampaign,
  lockCallingPolicy,
  organizationTimezone,
  refreshRecipientStatistics,
  viewStart,
  type Executor,
  type JsonObject,
  type OrganizationLimits,
  type RecipientList,
  type Tx,
} from '@outdial/db';
import { resolveProvider } from '../send/agent-telephony.ts';
import type { ControlDeps } from '../deps.ts';
import { enqueueAdvance } from '../enqueue.ts';
import { destinationRules, refusedDestinations } from '../gate/destinations.ts';
import { requireWithinLimits } from '../gate/quotas.ts';
import { parseAdditionalParams, faultsOfUnlisted, type EngineParams } from './additional-params.ts';
import { parseCampaignDates, type CampaignDates } from './campaign-dates.ts';
import { CampaignFieldsError, ForeignOrganizationError } from './campaign-errors.ts';
import { requireStartable, startInTransaction, type StatusDeps } from './campaign-status.ts';

export interface CreateCampaignArgs {
  organizationId: string;
  /** The caller has checked the role of this user. */
  userId: string;
  fields: CreateCampaignBody;
}

export interface CreatedCampaign {
  campaignId: string;
  status: 'draft' | 'paused' | 'running';
  /** Whether to publish an advance after the commit. */
  dialsNow: boolean;
  recipients: number;
}

/** From this length on, a list refreshes the planner's statistics. */
const largeList = 1_000;

/** Creates a campaign, starts it if requested, and publishes its first advance. */
export async function createCampaign(deps: StatusDeps, args: CreateCampaignArgs): Promise<CreatedCampaign> {
  const created = await inTransaction(deps.db, (tx) => createCampaignInTransaction(tx, deps, args));
  await announceCampaign(deps, args.organizationId, created);
  return created;
}

/**
 * Creates a campaign in the caller's transaction. Call `announceCampaign` after the commit.
 * @throws CampaignFieldsError, NotFoundError (agent), ForeignOrganizationError, ConflictError, in this order
 */
export async function createCampaignInTransaction(
  tx: Tx,
  deps: Pick<StatusDeps, 'installationProvider'>,
  args: CreateCampaignArgs,
): Promise<CreatedCampaign> {
  const callingPolicy = await lockCallingPolicy(tx, args.organizationId);
  return writeNewCampaign(tx, deps, args, await readNewCampaign(tx, args, callingPolicy));
}

/** Fields that are valid on their own. */
export interface ReadCampaign {
  now: Date;
  limits: OrganizationLimits;
  params: EngineParams;
  dates: CampaignDates;
  recipients: RecipientList;
}

/** Checks the fields and the whole list without a lock. @throws CampaignFieldsError */
export async function readNewCampaign(
  db: Executor,
  { organizationId, fields }: Pick<CreateCampaignArgs, 'organizationId' | 'fields'>,
  callingPolicy: CallingPolicy,
): Promise<ReadCampaign> {
  const now = await engineNow(db);
  const timezone = await organizationTimezone(db, organizationId);
  const read = readFields(fields, fields.additional_params ?? {}, { timezone, callingPolicy, now });
  const limits = await findOrganizationLimits(db, organizationId);
  const loc = ['body', 'phone_numbers'];
  const refused = await refusedDestinations(read.recipients.phoneNumbers, destinationRules(limits), loc);
  if (refused.length > 0) throw new CampaignFieldsError(refused);
  return { now, limits, ...read };
}

/**
 * Checks the rest, and inserts the campaign.
 * @param people a trial only inserts some of the recipients
 * @throws NotFoundError (agent), ForeignOrganizationError, ConflictError
 */
export async function writeNewCampaign(
  tx: Tx,
  deps: Pick<StatusDeps, 'installationProvider'>,
  { organizationId, userId, fields }: CreateCampaignArgs,
  read: ReadCampaign,
  people: RecipientList = read.recipients,
): Promise<CreatedCampaign> {
  const { now, dates } = read;
  const start = await viewStart(tx, { organizationId, agentId: fields.agent_id });
  if (start === null) throw new NotFoundError('Agent not found');
  requireOwnOrganization(organizationId, fields.organization_id);
  await requireWithinLimits(tx, organizationId, read.limits, {
    campaigns: 1,
    recipients: read.recipients.phoneNumbers.length,
  });
  const status = fields.status ?? 'draft';
  if (status === 'running') requireStartable(start, dates.end_at, now);
  const campaignId = await insertCampaign(
    tx,
    {
      organization_id: organizationId,
      name: fields.name,
      agent_id: fields.agent_id,
      status: status === 'running' ? 'paused' : status,
      ...dates,
      start_time: fields.start_time ?? '00:00',
      end_time: fields.end_time ?? '24:00',
      additional_params: fields.additional_params ?? {},
      prompt_params: read.params.promptParams,
      created_by: userId,
      created_at: now,
    },
    people,
    resolveProvider(start, deps.installationProvider),
  );
  const created = { campaignId, status, recipients: people.phoneNumbers.length };
  if (status !== 'running') return { ...created, dialsNow: false };
  return {
    ...created,
    ...(await startInTransaction(tx, deps, { organizationId, campaignId, userId })),
  };
}

export async function announceCampaign(
  deps: ControlDeps,
  organizationId: string,
  created: CreatedCampaign,
): Promise<void> {
  if (created.dialsNow) await enqueueAdvance(deps, [created.campaignId], organizationId);
  if (created.recipients < largeList) return;
  // In the background. Autovacuum would do the same later.
  refreshRecipientStatistics(deps.db).catch((error: unknown) =>
    deps.log.warn({ err: error, campaign_id: created.campaignId }, 'could not analyze campaign_recipients'),
  );
}

function readFields(
  fields: CreateCampaignBody,
  additionalParams: JsonObject,
  { timezone, callingPolicy, now }: { timezone: string; callingPolicy: CallingPolicy; now: Date },
): { params: EngineParams; dates: CampaignDates; recipients: RecipientList } {
  const parsed = parseAdditionalParams(additionalParams, { callingPolicy });
  const zone = parsed.kind === 'ok' ? (parsed.params.timezone ?? timezone) : timezone;
  const dates = parseCampaignDates(
    { start_date: fields.start_date, end_date: fields.end_date ?? null },
    zone,
    { start_at: now, end_at: null, end_date_at: null },
    { start_time: fields.start_time ?? '00:00', end_time: fields.end_time ?? '24:00' },
  );
  const faults = [
    ...(dates.kind === 'invalid' ? dates.faults : []),
    ...(parsed.kind === 'invalid' ? parsed.faults : faultsOfUnlisted(parsed.params, fields.phone_numbers)),
  ];
  if (dates.kind === 'invalid' || parsed.kind === 'invalid' || faults.length > 0) {
    throw new CampaignFieldsError(faults);
  }
  const recipients = {
    phoneNumbers: fields.phone_numbers,
    timezone: zone,
    callingPolicy,
    details: parsed.params.recipients,
  };
  return { params: parsed.params, dates: dates.dates, recipients };
}

/** Comes after all checks for a 404 (docs/behaviour.md, "Errors"). */
export function requireOwnOrganization(organizationId: string, named: string | null | undefined): void {
  if (named != null && named.toLowerCase() !== organizationId) throw new ForeignOrganizationError();
}
