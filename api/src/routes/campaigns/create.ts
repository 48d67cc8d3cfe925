import {
  campaign,
  created,
  createCampaignBody,
  envelope,
  repeatedNumberWarnings,
  rolesFrom,
  type CreateCampaignBody,
} from '@outdial/contracts';
import { findCampaign } from '@outdial/db';
import { announceCampaign, createCampaignInTransaction, findCampaignWarnings } from '@outdial/engine';
import { z } from 'zod';
import { cutOffStalledCaller } from '../../http/answer-pieces.ts';
import { metaWithWarnings } from '../../http/answer-warnings.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { notFound } from '../../http/resource-id.ts';
import { streamJson } from '../../http/stream-json.ts';
import { campaignJson, envelopeJson } from './campaign-json.ts';
import { campaignHead, campaignMeta } from './campaign-view.ts';
import { nearMisses } from './near-misses.ts';
import { withFieldErrors } from './engine-errors.ts';

/** The data stored for repeated requests: all fields except large ones, which the identical body has again. */
const savedAnswer = envelope(campaign.omit({ phone_numbers: true, additional_params: true })).extend({
  message: z.string(),
  meta: z.record(z.string(), z.unknown()),
  data: campaign.omit({ phone_numbers: true, additional_params: true }),
});

const runsAtOnce = z.looseObject({ status: z.literal('running') });

export const createCampaign = defineRoute(
  {
    method: 'post',
    path: '/api/v1/campaigns',
    operationId: 'createCampaign',
    summary: 'Create a campaign',
    description:
      'To start the campaign immediately (`status` `running`), you need one of the roles manager, admin. ' +
      'Every number in `additional_params.recipients` must also be in `phone_numbers`.',
    tag: 'campaigns',
    roles: rolesFrom('member'),
    rolesFor: (body) => rolesFrom(runsAtOnce.safeParse(body).success ? 'manager' : 'member'),
    body: createCampaignBody,
    largeBody: true,
    unknownFields: 'warn',
    headers: idempotencyHeader,
    response: envelope(campaign),
    errors: [403, 404],
  },
  async (request, deps) => {
    const { principal, body, warnings, res } = request;
    const { organizationId, userId } = principal;
    warnings.push(...nearMisses(body.additional_params));
    warnings.push(...repeatedNumberWarnings(request.given, body.phone_numbers));
    const engine = { ...deps, installationProvider: deps.config.installationProvider };
    const { message, meta, data } = await once(deps, request, savedAnswer, async (tx) => {
      const campaignCreated = await withFieldErrors(() =>
        createCampaignInTransaction(tx, engine, { organizationId, userId, fields: body }),
      );
      const record = await findCampaign(tx, { organizationId, campaignId: campaignCreated.campaignId });
      if (record === null) throw notFound('Campaign');
      const { additional_params: _, ...head } = campaignHead(record);
      const own = await findCampaignWarnings(tx, { organizationId, campaignId: record.id });
      return {
        // A repeated request gets the same warnings.
        kept: created(head, metaWithWarnings(campaignMeta(record), [...warnings, ...own])),
        afterCommit: () => announceCampaign(engine, organizationId, campaignCreated),
      };
    });
    cutOffStalledCaller(res);
    const head = { ...data, additional_params: body.additional_params ?? {} };
    return streamJson(
      res,
      envelopeJson(message, meta, campaignJson({ head, recipients: null, numbers: numbersOf(body) })),
    );
  },
);

const chunkLength = 5_000;

function* numbersOf({ phone_numbers: numbers }: CreateCampaignBody): Generator<string[]> {
  for (let start = 0; start < numbers.length; start += chunkLength) {
    yield numbers.slice(start, start + chunkLength);
  }
}
