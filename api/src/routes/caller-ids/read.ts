import { callerId, envelope, got, rolesFrom } from '@outdial/contracts';
import { findCallerId } from '@outdial/db';
import { z } from 'zod';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { callerIdVersion, callerIdView } from './caller-id-view.ts';

export const readCallerId = defineRoute(
  {
    method: 'get',
    path: '/api/v1/caller-ids/{caller_id}',
    operationId: 'readCallerId',
    summary: 'Read a caller id',
    tag: 'caller ids',
    roles: rolesFrom('viewer'),
    params: z.object({ caller_id: z.string() }),
    response: envelope(callerId),
    versionOf: callerIdVersion,
  },
  async ({ organizationId, params }, { db }) => {
    const id = resourceId(params.caller_id, 'Caller id');
    return got(
      callerIdView(orNotFound(await findCallerId(db, { organizationId, callerId: id }), 'Caller id')),
    );
  },
);
