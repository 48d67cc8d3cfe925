import {
  type CampaignKey,
  campaignNumbers,
  type CampaignRecord,
  findCampaign,
  inReadSnapshot,
  recipientParamsText,
} from '@outdial/db';
import type { RouteDeps } from '../../deps.ts';
import { orNotFound } from '../../http/resource-id.ts';
import type { CampaignWithNumbers } from './campaign-json.ts';
import { campaignHead } from './campaign-view.ts';
import { NumberSpool } from './number-spool.ts';

/**
 * A campaign with a long list, its fields and numbers as of the same instant. Fetches the numbers before sending anything, so that no
 * connection is held while the caller reads.
 */
export async function fetchLongCampaign(
  { db, longAnswers }: RouteDeps,
  key: CampaignKey,
): Promise<{ record: CampaignRecord; item: CampaignWithNumbers }> {
  const { record, spool } = await longAnswers.inTurn(key.organizationId, () =>
    inReadSnapshot(db, async (tx) => {
      const found = orNotFound(await findCampaign(tx, key), 'Campaign');
      return { record: found, spool: await NumberSpool.of(campaignNumbers(tx, key)) };
    }),
  );
  return {
    record,
    item: { head: campaignHead(record), recipients: recipientsOf(db, record), numbers: spool.chunks() },
  };
}

/** A campaign of a page. Fetches its numbers when it is its turn, so that only one list is in memory. */
export function longCampaignOfPage(
  { db, longAnswers }: RouteDeps,
  record: CampaignRecord,
): CampaignWithNumbers {
  const key = { organizationId: record.organization_id, campaignId: record.id };

  async function* numbers(): AsyncGenerator<string[]> {
    const spool = await longAnswers.inTurn(key.organizationId, () =>
      inReadSnapshot(db, (tx) => NumberSpool.of(campaignNumbers(tx, key))),
    );
    yield* spool.chunks();
  }
  return { head: campaignHead(record), recipients: recipientsOf(db, record), numbers: numbers() };
}

function recipientsOf(db: RouteDeps['db'], record: CampaignRecord): CampaignWithNumbers['recipients'] {
  const {
    organization_id: organizationId,
    id,
    list_revision: listRevision,
    recipient_params: recipientParams,
  } = record;
  if (recipientParams === null) return null;
  return recipientParams.kind === 'whole'
    ? [recipientParams.text]
    : recipientParamsText(db, { organizationId, campaignId: id, listRevision });
}
