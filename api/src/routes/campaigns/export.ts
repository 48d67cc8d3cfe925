import { rolesFrom } from '@outdial/contracts';
import { z } from 'zod';
import { noteBulkRead } from '../../http/bulk-read.ts';
import { defineRoute } from '../../http/define-route.ts';
import { baseUrl } from '../../http/base-url.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { findCampaign } from '@outdial/db';
import { sendLines } from '../../http/send-lines.ts';
import { callsOfCampaign, recipientsOfCampaign } from './export-rows.ts';

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
