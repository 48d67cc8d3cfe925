import { event, type EventMessage, listEventsQuery, rolesFrom } from '@outdial/contracts';
import {
  byId,
  findEventPosition,
  noteEventReader,
  placeEvents,
  readEvents,
  type Db,
  type PlacedEvent,
} from '@outdial/db';
import { eventMessage } from '@outdial/webhooks';
import { defineList } from '../../http/define-list.ts';
import { ValidationError } from '../../http/errors.ts';

/** How many events get a position when an organization reads for the first time. A sweep continues with the rest at once. */
const placedAtFirst = 2_000;

export const listEventsRoute = defineList(
  {
    path: '/api/v1/events',
    operationId: 'listEvents',
    summary: 'List events, oldest first',
    description:
      'Returns the same events that webhooks send, for 30 days. To continue, set `after` to the id of the last event that you read. No event is skipped or repeated.',
    tag: 'webhooks',
    roles: rolesFrom('viewer'),
    query: listEventsQuery,
    item: event,
    rowBytesAtMost: 32 * 1024,
  },
  async ({ organizationId, query, page }, { db }) => {
    const [from, parameter] =
      page.after === null ? [query.after, 'after'] : ([page.after[0], 'cursor'] as const);
    const after =
      from === undefined ? null : await positionOf(db, { organizationId, eventId: from }, parameter);
    if (await noteEventReader(db, { organizationId })) {
      await placeEvents(db, { limit: placedAtFirst, spare: 0 });
    }
    return {
      rows: await readEvents(db, { organizationId, after, types: query.types ?? null, limit: page.limit }),
      position: byId,
      // Each statement that writes an event writes the fields of its type.
      view: (row: PlacedEvent) => eventMessage(row) as EventMessage,
    };
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
