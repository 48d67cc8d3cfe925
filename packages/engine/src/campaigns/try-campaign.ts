import { setImmediate } from 'node:timers/promises';
import type { Warning } from '@outdial/contracts';
import {
  type Db,
  findCallingPolicy,
  findWarningView,
  inTransaction,
  type RecipientList,
  type WarningView,
} from '@outdial/db';
import { countedAtMost, warningsOf } from './campaign-warnings.ts';
import type { StatusDeps } from './campaign-status.ts';
import { type CreateCampaignArgs, readNewCampaign, writeNewCampaign } from './create-campaign.ts';

/**
 * Returns the warnings, or throws the errors, of creating a campaign. Checks all recipients outside of a transaction. Then inserts a few of
 * them and rolls back, so that a trial of a long list is cheap and its locks are short.
 */
export async function tryCampaign(
  db: Db,
  deps: Pick<StatusDeps, 'installationProvider'>,
  args: CreateCampaignArgs,
): Promise<Warning[]> {
  const { organizationId, fields } = args;
  const callingPolicy = (await findCallingPolicy(db, organizationId)) ?? 'none';
  const read = await readNewCampaign(db, args, callingPolicy);
  const { recipients: _, ...params } = fields.additional_params ?? {};
  const withoutPeople = { ...args, fields: { ...fields, additional_params: params } };
  const people = fewOf(read.recipients);
  const trial = inTransaction(db, async (tx): Promise<never> => {
    const { campaignId } = await writeNewCampaign(tx, deps, withoutPeople, read, people);
    throw new TrialOver(await findWarningView(tx, { organizationId, campaignId }));
  });
  const view = await trial.catch((error: unknown) => {
    if (error instanceof TrialOver) return error.view;
    throw error;
  });
  return view === null ? [] : warningsOf(view, (name) => countWithoutValue(read.recipients, name));
}

/** Rolls the trial back. */
class TrialOver extends Error {
  readonly view: WarningView | null;

  constructor(view: WarningView | null) {
    super('The trial is over');
    this.view = view;
  }
}

const fewAtMost = 1_000;

/** The first recipients of the list and of each time zone, because the hours depend on the zone. */
export function fewOf(list: RecipientList): RecipientList {
  const zones = new Set<string>();
  const phoneNumbers = list.phoneNumbers.filter((phoneNumber, index) => {
    const zone = list.details.get(phoneNumber)?.timezone;
    const isNewZone = zone != null && zones.size < fewAtMost && !zones.has(zone);
    if (isNewZone) zones.add(zone);
    return isNewZone || index < fewAtMost;
  });
  return { ...list, phoneNumbers };
}

/** Other requests run between batches of this size. */
const peopleAtOnce = 20_000;

/** Counts the recipients of the list without a value for a name, like the query for existing campaigns. */
async function countWithoutValue({ phoneNumbers, details }: RecipientList, name: string): Promise<number> {
  let seen = 0;
  let having = 0;
  for (const { promptParams } of details.values()) {
    seen += 1;
    if (seen % peopleAtOnce === 0) await setImmediate();
    if (promptParams !== null && Object.hasOwn(promptParams, name)) having += 1;
  }
  return Math.min(phoneNumbers.length - having, countedAtMost);
}
