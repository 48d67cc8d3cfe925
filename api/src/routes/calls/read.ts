import { call, envelope, got, rolesFrom } from '@outdial/contracts';
import { findCall } from '@outdial/db';
import { z } from 'zod';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { callView } from './call-view.ts';

export const readCall = defineRoute(
  {
    method: 'get',
    path: '/api/v1/calls/{call_id}',
    operationId: 'readCall',
    summary: 'Read a call',
    tag: 'calls',
    roles: rolesFrom('viewer'),
    params: z.object({ call_id: z.string() }),
    response: envelope(call),
  },
  async ({ organizationId, params, req }, { db, config }) => {
    const callId = resourceId(params.call_id, 'Call');
    const row = orNotFound(await findCall(db, { organizationId, callId }), 'Call');
    return got(callView(row, baseUrl(req, config)));
  },
);
