import { annotateCallBody, call, envelope, rolesFrom, updated } from '@outdial/contracts';
import { annotateCall as annotate, findCall, inTransaction } from '@outdial/db';
import { z } from 'zod';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { notFound, orNotFound, resourceId } from '../../http/resource-id.ts';
import { callView } from './call-view.ts';

export const annotateCall = defineRoute(
  {
    method: 'put',
    path: '/api/v1/calls/{call_id}',
    operationId: 'annotateCall',
    summary: "Update a call's notes, comments, quality and tags",
    description:
      'Changes only the fields in the body. Null removes a value. Also works while the call is in progress. `tags` replaces all tags of the call; new tags are created.',
    tag: 'calls',
    roles: rolesFrom('member'),
    params: z.object({ call_id: z.string() }),
    body: annotateCallBody,
    response: envelope(call),
  },
  async ({ organizationId, params, body, ifMatch, req }, { db, config }) => {
    const callId = resourceId(params.call_id, 'Call');
    const annotations = { ...body, tags: body.tags === null ? [] : body.tags };
    const view = await inTransaction(db, async (tx) => {
      const read = async () => {
        const row = orNotFound(await findCall(tx, { organizationId, callId }), 'Call');
        return callView(row, baseUrl(req, config));
      };
      const precondition = () => ifMatch(read);
      const known = await annotate(tx, { organizationId, callId, annotations, precondition });
      if (!known) throw notFound('Call');
      return read();
    });
    return updated(view);
  },
);
