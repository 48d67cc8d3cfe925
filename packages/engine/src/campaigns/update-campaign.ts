import type { UpdateCampaignBody, ValidationErrorEntry, Warning } from '@outdial/contracts';
import { ConflictError, NotFoundError } from '@outdial/core';
import {
  type CampaignKey,
  campaignNumbers,
  engineNow,
  findCallingKeys,
  findOrganizationLimits,
  lockCampaignFields,
  inTransaction,
  loadCampaignDefinition,
  moveCampaignZone,
  moveFirstAttempts,
  organizationTimezone,
  replaceRecipients,
  replanAtStart,
  replanRecipients,
  viewStart,
  writeCampaign,
  type CampaignFields,
  type LockedCampaign,
  type Db,
  type ReplacingList,
  type Tx,
} from '@outdial/db';
import { destinationRules, refusedDestinations } from '../gate/destinations.ts';
import { parseAdditionalParams, faultsOfUnlisted, type EngineParams } from './additional-params.ts';
import { parseCampaignDates } from './campaign-dates.ts';
import { CampaignFieldsError } from './campaign-errors.ts';
import type { Precondition } from '../deps.ts';
import { requireRoom } from './change-recipients.ts';
import { requireOwnOrganization } from './create-campaign.ts';

export interface UpdateCampaignArgs extends CampaignKey {
  fields: UpdateCampaignBody;
  precondition?: Precondition;
}

/**
 * Replaces the named fields of a paused campaign. Null changes nothing, except that an `end_date` of null makes the campaign open-ended. The
 * campaign's row is locked from the first read to the commit.
 * @throws CampaignFieldsError, NotFoundError (campaign, agent), ForeignOrganizationError, ConflictError
 */
export async function updateCampaign({ db }: { db: Db }, args: UpdateCampaignArgs): Promise<Warning[]> {
  return inTransaction(db, (tx) => updateInTransaction(tx, args));
}

async function updateInTransaction(
  tx: Tx,
  { organizationId, campaignId, fields, precondition }: UpdateCampaignArgs,
): Promise<Warning[]> {
  const key = { organizationId, campaignId };
  const locked = await lockCampaignFields(tx, key);
  if (locked === null) throw new NotFoundError('Campaign not found');
  await precondition?.(tx);
  const { changed, recipients } = await readUpdate(tx, key, fields, locked);
  if (
    fields.agent_id != null &&
    (await viewStart(tx, { organizationId, agentId: fields.agent_id })) === null
  ) {
    throw new NotFoundError('Agent not found');
  }
  requireOwnOrganization(organizationId, fields.organization_id);
  if (locked.status !== 'paused') {
    throw new ConflictError(
      'campaign_not_paused',
      `Only a paused campaign can be updated; this one is ${locked.status}`,
    );
  }
  const now = await engineNow(tx);
  const { start_at: startAt } = changed;
  const replaced =
    recipients === null ? null : await replaceRecipients(tx, { ...key, startAt, now }, recipients);
  if (replaced !== null && replaced.added > 0) await requireRoom(tx, key);
  if (startAt.getTime() !== locked.start_at.getTime()) await moveFirstAttempts(tx, key, startAt);
  const { timezone: from } = locked;
  const { timezone: to } = changed;
  if (from !== to) await moveCampaignZone(tx, key, { from, to });
  const callingKeys = replaced === null && from === to ? locked.calling_keys : await findCallingKeys(tx, key);
  await writeCampaign(tx, key, { ...changed, calling_keys: callingKeys }, now);
  // The new schedule applies to the remaining recipients when the campaign starts.
  await replanAtStart(tx, campaignId);
  const recipientIds = replaced?.returnedIds ?? [];
  const definition = recipientIds.length > 0 && (await loadCampaignDefinition(tx, campaignId));
  if (definition) await replanRecipients(tx, definition, { kind: 'these', recipientIds }, now);
  return warningsOf(fields, locked, changed);
}

/** Stored date-times keep their instants, although they were sent for the earlier zone. */
function warningsOf(
  fields: UpdateCampaignBody,
  locked: LockedCampaign,
  changed: Pick<CampaignFields, 'timezone'>,
): Warning[] {
  if (changed.timezone === locked.timezone) return [];
  const staying = [
    ...(fields.start_date == null ? ['start_date'] : []),
    ...(fields.end_date === undefined && locked.end_at !== null ? ['end_date'] : []),
  ];
  if (staying.length === 0) return [];
  const msg = `The time zone is now ${changed.timezone}, but ${staying.join(' and ')} did not move. To use the new time zone, send ${staying.length === 1 ? 'it' : 'them'} again.`;
  return [{ code: 'stored_instants_stay', loc: ['body', 'additional_params', 'timezone'], msg }];
}

interface ReadUpdate {
  changed: Omit<CampaignFields, 'calling_keys'>;
  /** Null if the list does not change. */
  recipients: ReplacingList | null;
}

async function readUpdate(
  tx: Tx,
  key: CampaignKey,
  fields: UpdateCampaignBody,
  locked: LockedCampaign,
): Promise<ReadUpdate> {
  const additionalParams = fields.additional_params ?? locked.additional_params;
  // What is stored was accepted under an earlier policy, perhaps.
  const callingPolicy = fields.additional_params == null ? 'none' : locked.calling_policy;
  const parsed = parseAdditionalParams(additionalParams, { callingPolicy });
  if (parsed.kind === 'invalid') throw new CampaignFieldsError(parsed.faults);
  const { params } = parsed;
  const timezone =
    fields.additional_params == null
      ? locked.timezone
      : (params.timezone ?? (await organizationTimezone(tx, key.organizationId)));
  const refused = await refusedNumbers(tx, key.organizationId, fields);
  const dates = parseCampaignDates(fields, timezone, locked, {
    start_time: fields.start_time ?? locked.start_time,
    end_time: fields.end_time ?? locked.end_time,
  });
  const recipients = await listAfter(tx, key, fields, { locked, params, timezone });
  // Only parameters of this request are checked: stored ones may name numbers that are removed.
  const unlisted =
    fields.additional_params == null || recipients === null
      ? []
      : faultsOfUnlisted(params, recipients.phoneNumbers);
  if (dates.kind === 'invalid') throw new CampaignFieldsError([...dates.faults, ...unlisted, ...refused]);
  if (unlisted.length + refused.length > 0) throw new CampaignFieldsError([...unlisted, ...refused]);
  const changed = {
    name: fields.name ?? locked.name,
    agent_id: fields.agent_id ?? locked.agent_id,
    ...dates.dates,
    start_time: fields.start_time ?? locked.start_time,
    end_time: fields.end_time ?? locked.end_time,
    timezone,
    additional_params: additionalParams,
    prompt_params: params.promptParams,
  };
  return { changed, recipients };
}

/** Checks the whole list, because it is not known yet which numbers are new. */
async function refusedNumbers(
  tx: Tx,
  organizationId: string,
  { phone_numbers: numbers }: UpdateCampaignBody,
): Promise<ValidationErrorEntry[]> {
  if (numbers == null) return [];
  const limits = await findOrganizationLimits(tx, organizationId);
  return refusedDestinations(numbers, destinationRules(limits), ['body', 'phone_numbers']);
}

/** The new list, or the earlier numbers if their details change; null if neither changes. */
async function listAfter(
  tx: Tx,
  key: CampaignKey,
  fields: UpdateCampaignBody,
  { locked, params, timezone }: { locked: LockedCampaign; params: EngineParams; timezone: string },
): Promise<ReplacingList | null> {
  const details = params.recipients;
  const { calling_policy: callingPolicy } = locked;
  const before = locked.additional_params['recipients'] ?? {};
  const same =
    fields.additional_params == null ||
    JSON.stringify(fields.additional_params['recipients'] ?? {}) === JSON.stringify(before);
  if (fields.phone_numbers == null && same) return null;
  const phoneNumbers = fields.phone_numbers ?? [];
  if (fields.phone_numbers == null) {
    for await (const chunk of campaignNumbers(tx, key)) phoneNumbers.push(...chunk);
  }
  const keepsDetails = (phoneNumber: string) =>
    same || !(details.has(phoneNumber) || Object.hasOwn(before, phoneNumber));
  return { phoneNumbers, timezone, callingPolicy, details, keepsDetails };
}
