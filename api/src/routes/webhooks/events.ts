import {
  cursorList,
  cursorListOf,
  envelope,
  event,
  got,
  listEventsQuery,
  rolesFrom,
} from '@outdial/contracts';
import { findEventPosition, readEvents, type Db } from '@outdial/db';
import { eventMessage } from '@outdial/webhooks';
import { defineRoute } from '../../http/define-route.ts';
import { ValidationError } from '../../http/errors.ts';

export const listEventsRoute = defineRoute(
  {
    method: 'get',
    path: '/api/v1/events',
    operationId: 'listEvents',
    summary: 'List events in order, oldest first',
    description:
      'What webhooks send, for 30 days. Go on with `after`, the id of the last event that was read: none is skipped, and none comes twice.',
    tag: 'webhooks',
    roles: rolesFrom('viewer'),
    query: listEventsQuery,
    response: envelope(cursorList(event)),
  },
  async ({ principal, query }, { db }) => {
    const { organizationId } = principal;
    const [from, parameter] =
      query.cursor === undefined ? [query.after, 'after'] : ([query.cursor[0], 'cursor'] as const);
    const after =
      from === undefined ? null : await positionOf(db, { organizationId, eventId: from }, parameter);
    const events = await readEvents(db, {
      organizationId,
      after,
      types: query.types ?? null,
      limit: query.limit + 1,
    });
    return got(cursorListOf(events, query.limit, { position: (one) => [one.id], item: eventMessage }));
  },
);

async function positionOf(
  db: Db,
  address: { organizationId: string; eventId: string },
  parameter: string,
): Promise<string> {
  const position = await findEventPosition(db, address);
  if (position !== null) return position;
  throw new ValidationError([
    {
      loc: ['query', parameter],
      msg: 'Input should be the id of an event of the last 30 days',
      type: 'value_error',
    },
  ]);
}
