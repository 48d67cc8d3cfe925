import { rolesFrom, call, recipient } from '@outdial/contracts';
import { z } from 'zod';
import {
  type CampaignKey,
  findCampaign,
  byId,
  byInstant,
  type Db,
  listCalls,
  listRecipients,
  readPages,
} from '@outdial/db';
import { findWaiting } from '@outdial/engine';
import { noteBulkRead } from '../../http/bulk-read.ts';
import { defineRoute } from '../../http/define-route.ts';
import { baseUrl } from '../../http/base-url.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { sendLines, type Table } from '../../http/send-lines.ts';
import { rowsAtOnce } from '../../http/rows-at-once.ts';
import { callBytesAtMost, callView } from '../calls/call-view.ts';
import { recipientRowBytesAtMost, recipientView } from './recipient-view.ts';

export const exportCampaign = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}/export',
    operationId: 'exportCampaign',
    summary: 'Export the recipients or the calls of a campaign',
    description:
      'Streams the rows, newest first, with the fields of the corresponding list. Objects are written as JSON. Cells that a spreadsheet would take for a formula begin with an apostrophe, ' +
      'except phone numbers in E.164 format.',
    tag: 'campaigns',
    // Hands out all people at once.
    roles: rolesFrom('member'),
    isAudited: true,
    params: z.object({ campaign_id: z.string() }),
    query: z.object({
      of: z.enum(['recipients', 'calls']).default('recipients'),
      format: z.enum(['csv', 'ndjson']).default('csv'),
      bom: z
        .enum(['true', 'false'])
        .default('false')
        .describe('Whether a CSV begins with a byte order mark, by which Excel recognizes UTF-8.'),
    }),
    response: {
      kind: 'binary',
      contentType: 'text/csv',
      otherContentTypes: ['application/x-ndjson'],
      description: 'The rows of the export',
      ranges: false,
    },
    errors: [429],
  },
  async ({ organizationId, params, query, req, res }, deps) => {
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId, campaignId };
    if ((await findCampaign(deps.db, key)) === null) throw notFound('Campaign');
    const rows =
      query.of === 'recipients'
        ? recipientsOfCampaign(deps.db, key)
        : callsOfCampaign(deps.db, key, baseUrl(req, deps.config));
    await noteBulkRead(deps.db, { type: 'campaign', id: campaignId }, { of: query.of, format: query.format });
    return deps.longAnswers.within({ organizationId, purpose: 'read' }, (pace) =>
      sendLines(res, {
        rows,
        format: query.format,
        hasBom: query.bom === 'true',
        fileName: `${query.of}-${campaignId}`,
        pace,
        inTurn: (read, left) => deps.longAnswers.fetchAndRest(organizationId, left, read),
      }),
    );
  },
);

const recipientsAtOnce = rowsAtOnce(recipientRowBytesAtMost);
const callsAtOnce = rowsAtOnce(callBytesAtMost);

/** Holds no connection while the caller reads. */
function recipientsOfCampaign(db: Db, key: CampaignKey): Table {
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

function callsOfCampaign(db: Db, { organizationId, campaignId }: CampaignKey, baseUrl: string): Table {
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
