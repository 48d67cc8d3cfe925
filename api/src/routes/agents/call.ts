import { call, created, envelope, makeCallBody, rolesFrom, uuid, type Warning } from '@outdial/contracts';
import { findCall } from '@outdial/db';
import { enqueueDirectCalls, requestCallIn, MissingValuesError, RefusedNumberError } from '@outdial/engine';
import { z } from 'zod';
import { metaWithWarnings } from '../../http/answer-warnings.ts';
import { baseUrl } from '../../http/base-url.ts';
import { defineRoute } from '../../http/define-route.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { orNotFound } from '../../http/resource-id.ts';
import { callView } from '../calls/call-view.ts';
import { fieldFault, ValidationError } from '../../http/errors.ts';

const answer = envelope(call);

export const makeCall = defineRoute(
  {
    method: 'post',
    path: '/api/v1/agents/{agent_id}/call',
    operationId: 'makeCall',
    summary: 'Start an outbound call',
    description:
      'Returns immediately with the status `init`. The call is placed as soon as a line is free, ahead of campaign calls. If no line becomes free in time, the call ends as `other` with the `meta.outcome` `canceled`. `meta.warnings` names placeholders of the prompt that have no value in `prompt_params`.',
    tag: 'agents',
    rights: 'grant',
    roles: rolesFrom('member'),
    params: z.object({ agent_id: uuid }),
    body: makeCallBody,
    unknownFields: 'warn',
    headers: idempotencyHeader,
    response: answer,
  },
  async (request, deps) => {
    const { principal, params, body, req, organizationId } = request;
    request.warnings.push(...reservedNameWarnings(body.meta));
    const { installationProvider, callQueueTimeoutSeconds } = deps.config;
    const engine = { ...deps, installationProvider, settings: { callQueueTimeoutSeconds } };
    return once(deps, request, answer, async (tx) => {
      const { callId, warnings } = await withCallFaults(() =>
        requestCallIn(tx, engine, {
          organizationId,
          agentId: params.agent_id,
          toPhone: body.to_phone,
          promptParams: body.prompt_params ?? null,
          rejectMissingValues: body.reject_missing_values ?? false,
          meta: body.meta ?? null,
          purpose: body.purpose ?? null,
          createdBy: principal.userId,
        }),
      );
      const row = orNotFound(await findCall(tx, { organizationId, callId }), 'Call');
      return {
        kept: created(callView(row, baseUrl(req, deps.config)), metaWithWarnings({}, warnings)),
        afterCommit: () => enqueueDirectCalls(deps, [callId]),
      };
    });
  },
);

/** Refusals of the engine that are about fields of the request. @throws ValidationError */
export async function withCallFaults<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof RefusedNumberError) throw fieldFault('to_phone', error.publicMessage);
    if (error instanceof MissingValuesError) throw new ValidationError(error.faults);
    throw error;
  }
}

/** `meta.outcome` of a call is always the outcome of the call, so a value of the caller is not shown. */
export function reservedNameWarnings(meta: Readonly<Record<string, unknown>> | null | undefined): Warning[] {
  if (meta == null || !Object.hasOwn(meta, 'outcome')) return [];
  const msg =
    '`outcome` is the name of the outcome of the call; choose another name, or this value is not shown';
  return [{ code: 'unknown_field', loc: ['body', 'meta', 'outcome'], msg }];
}
