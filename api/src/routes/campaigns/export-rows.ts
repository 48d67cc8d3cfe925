import { call, recipient } from '@outdial/contracts';
import { type Db, listCalls, listRecipients } from '@outdial/db';
import { findWaiting } from '@outdial/engine';
import type { Table } from '../../http/send-lines.ts';
import { callView } from '../calls/call-view.ts';
import { recipientView } from './recipient-view.ts';

interface CampaignKey {
  organizationId: string;
  campaignId: string;
}

/** Small enough that a batch is a few hundred kilobytes; calls carry transcripts. */
const recipientsAtOnce = 1_000;
const callsAtOnce = 100;

/** Read batch by batch, each in a statement of its own: no connection is held while the caller reads. */
export function recipientsOfCampaign(db: Db, key: CampaignKey): Table {
  async function* batches() {
    let after: string | null = null;
    for (;;) {
      const { organizationId, campaignId } = key;
      const waiting = (await findWaiting(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
      // Deleted meanwhile.
      if (waiting === undefined) return;
      const rows = await listRecipients(db, key, { filters: {}, limit: recipientsAtOnce, after });
      yield rows.map((row) => recipientView(row, waiting));
      const last = rows.at(-1);
      if (last === undefined || rows.length < recipientsAtOnce) return;
      after = last.id;
    }
  }
  return { columns: Object.keys(recipient.shape), batches: batches() };
}

/** The same for calls. */
export function callsOfCampaign(db: Db, { organizationId, campaignId }: CampaignKey, baseUrl: string): Table {
  async function* batches() {
    let after: { at: string; id: string } | null = null;
    for (;;) {
      const rows = await listCalls(db, {
        organizationId,
        filters: { campaignId },
        page: { limit: callsAtOnce, after },
      });
      yield rows.map((row) => callView(row, baseUrl));
      const last = rows.at(-1);
      if (last === undefined || rows.length < callsAtOnce) return;
      after = { at: last.row_instant, id: last.id };
    }
  }
  return { columns: Object.keys(call.shape), batches: batches() };
}
