import { call, emptyBody, envelope, rolesFrom, updated } from '@outdial/contracts';
import { findCall } from '@outdial/db';
import { requestHangUpIn } from '@outdial/engine';
import { dialingMetrics } from '@outdial/service';
import { z } from 'zod';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { orNotFound, resourceId } from '../../http/resource-id.ts';
import { callView } from './call-view.ts';

const answer = envelope(call);

export const hangUpCall = defineRoute(
  {
    method: 'post',
    path: '/api/v1/calls/{call_id}/hang-up',
    operationId: 'hangUpCall',
    updates: true,
    summary: 'Hang up a call',
    description:
      'Returns the call in its current state; a worker then ends it at the carrier within moments. A call that is still waiting for a line ends immediately. Returns 409 if the call has already ended.',
    tag: 'calls',
    roles: rolesFrom('member'),
    params: z.object({ call_id: z.string() }),
    body: emptyBody,
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { organizationId } = request;
    const callId = resourceId(request.params.call_id, 'Call');
    return once(deps, request, answer, async (tx) => {
      const counting = { ...deps, metrics: dialingMetrics(deps.metrics) };
      const { afterCommit } = await requestHangUpIn(tx, counting, { organizationId, callId });
      const row = orNotFound(await findCall(tx, { organizationId, callId }), 'Call');
      return { kept: updated(callView(row, baseUrl(request.req, deps.config))), afterCommit };
    });
  },
);
