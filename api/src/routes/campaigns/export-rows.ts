import { call, recipient } from '@outdial/contracts';
import { byId, byInstant, type Db, listCalls, listRecipients, readPages } from '@outdial/db';
import { findWaiting } from '@outdial/engine';
import { rowsAtOnce } from '../../http/rows-at-once.ts';
import type { Table } from '../../http/send-lines.ts';
import { callBytesAtMost, callView } from '../calls/call-view.ts';
import { recipientRowBytesAtMost, recipientView } from './recipient-view.ts';

interface CampaignKey {
  organizationId: string;
  campaignId: string;
}

const recipientsAtOnce = rowsAtOnce(recipientRowBytesAtMost);
const callsAtOnce = rowsAtOnce(callBytesAtMost);

/** Holds no connection while the caller reads. */
export function recipientsOfCampaign(db: Db, key: CampaignKey): Table {
  async function* batches() {
    const { organizationId, campaignId } = key;
    const pages = readPages({
      rowsAtOnce: recipientsAtOnce,
      read: (page) => listRecipients(db, key, { filters: {}, page }),
      position: byId,
    });
    for await (const rows of pages) {
      const waiting = (await findWaiting(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
      // Deleted meanwhile.
      if (waiting === undefined) return;
      yield rows.map((row) => recipientView(row, waiting));
    }
  }
  return { columns: Object.keys(recipient.shape), batches: batches() };
}

/** As `recipientRows`, for calls. */
export function callsOfCampaign(db: Db, { organizationId, campaignId }: CampaignKey, baseUrl: string): Table {
  async function* batches() {
    const pages = readPages({
      rowsAtOnce: callsAtOnce,
      read: (page) => listCalls(db, { organizationId, filters: { campaignId }, page }),
      position: byInstant,
    });
    for await (const rows of pages) yield rows.map((row) => callView(row, baseUrl));
  }
  return { columns: Object.keys(call.shape), batches: batches() };
}
