import { setTimeout as delay } from 'node:timers/promises';
import { rolesFrom, uuid, type CampaignProgress } from '@outdial/contracts';
import {
  type CampaignKey,
  engineNow,
  findCampaign,
  findEventPosition,
  newestEvent,
  noteEventReader,
  readCampaignCallEvents,
} from '@outdial/db';
import { eventMessage } from '@outdial/webhooks';
import { z } from 'zod';
import type { RouteDeps } from '../../deps.ts';
import { defineRoute, sent } from '../../http/define-route.ts';
import { type EventStream, openEventStream } from '../../http/event-stream.ts';
import { notFound, resourceId } from '../../http/resource-id.ts';
import { progressOf } from './progress-view.ts';

const lookEveryMs = 1_000;
const beatEveryMs = 15_000;
/** After this time the caller reconnects, so that its credential is checked again. */
const longestMs = 300_000;
const eventsAtOnce = 500;

export const streamCampaign = defineRoute(
  {
    method: 'get',
    path: '/api/v1/campaigns/{campaign_id}/stream',
    operationId: 'streamCampaign',
    summary: 'Stream the progress of a campaign',
    description:
      'Server-sent events. `progress` has the data of GET …/progress; it is sent when the stream begins and after each change, at most once a second. `call` has an event as in GET /events, sent for each change of a call, ' +
      'with its id; the stream resumes after `Last-Event-ID`. A stream ends after five minutes; an EventSource then reconnects. A credential can have ten streams open.',
    tag: 'campaigns',
    roles: rolesFrom('viewer'),
    params: z.object({ campaign_id: z.string() }),
    headers: {
      'Last-Event-ID': {
        description: 'The id of the last event that you read. Without it, the stream starts now.',
      },
    },
    response: {
      kind: 'binary',
      contentType: 'text/event-stream',
      description: 'Events, until the client disconnects or five minutes have passed',
      ranges: false,
    },
    errors: [429],
  },
  async ({ principal, params, req, res }, deps) => {
    const { organizationId, userId, credential } = principal;
    const campaignId = resourceId(params.campaign_id, 'Campaign');
    const key = { organizationId, campaignId };
    if ((await findCampaign(deps.db, key)) === null) throw notFound('Campaign');
    await noteEventReader(deps.db, { organizationId });
    const begin = await beginAfter(deps, organizationId, req.headers['last-event-id']);
    const release = deps.streams.take({ credential: credential.id ?? userId, organizationId });
    try {
      if (req.method === 'HEAD') {
        res.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
        res.end();
        return sent;
      }
      await follow(deps, openEventStream(res), { ...key, ...begin });
      return sent;
    } finally {
      release();
    }
  },
);

interface Begin {
  /** What a caller that has no event yet resumes after. */
  id: string | null;
  position: string;
  since: Date | null;
}

/** With an unknown or expired id, the stream begins now. */
async function beginAfter(
  { db }: RouteDeps,
  organizationId: string,
  lastEventId: string | string[] | undefined,
): Promise<Begin> {
  const read = uuid.safeParse(lastEventId);
  const known = read.success ? await findEventPosition(db, { organizationId, eventId: read.data }) : null;
  if (known !== null) return { id: null, position: known, since: null };
  return { ...(await newestEvent(db, organizationId)), since: await engineNow(db) };
}

async function follow(
  { db }: RouteDeps,
  stream: EventStream,
  { id, position: begin, since, ...key }: CampaignKey & Begin,
): Promise<void> {
  const { organizationId, campaignId } = key;
  const endsAt = performance.now() + longestMs;
  let beatAt = performance.now() + beatEveryMs;
  let position = begin;
  let sent = '';
  if (id !== null) await stream.resumeAfter(id);
  while (!stream.gone.aborted && performance.now() < endsAt) {
    const calls = await readCampaignCallEvents(db, { ...key, after: position, since, limit: eventsAtOnce });
    position = calls.position;
    for (const event of calls.events) {
      await stream.send({ name: 'call', id: event.id, data: eventMessage(event) });
    }
    const progress = (await progressOf(db, { organizationId, campaignIds: [campaignId] })).get(campaignId);
    // Deleted meanwhile.
    if (progress === undefined) break;
    const state = withoutClock(progress);
    if (state !== sent) {
      await stream.send({ name: 'progress', data: progress });
      sent = state;
      beatAt = performance.now() + beatEveryMs;
    } else if (performance.now() >= beatAt) {
      await stream.beat();
      beatAt = performance.now() + beatEveryMs;
    }
    await delay(lookEveryMs, undefined, { signal: stream.gone }).catch(() => undefined);
  }
  stream.end();
}

/** Fields that change without an event are ignored. */
function withoutClock(progress: CampaignProgress): string {
  return JSON.stringify({ ...progress, as_of: null, estimated_end_at: null });
}
