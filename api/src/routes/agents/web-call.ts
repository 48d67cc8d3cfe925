import { created, envelope, makeWebCallBody, rolesFrom, uuid, warning, webCall } from '@outdial/contracts';
import { requestWebCallIn, webConnectSeconds, type RequestedWebCall } from '@outdial/engine';
import { type CallTokens, createCallTokens } from '@outdial/runtime';
import { z } from 'zod';
import { metaWithWarnings } from '../../http/answer-warnings.ts';
import { defineRoute } from '../../http/define-route.ts';
import { RetryLaterError } from '../../http/errors.ts';
import { idempotencyHeader, once } from '../../http/idempotency.ts';
import { reservedNameWarnings, withCallFaults } from './call.ts';

/** Without the token, which can be created again. */
const keptCall = z.object({
  data: z.object({ id: z.string(), url: z.string(), expires_at: z.string() }),
  warnings: z.array(warning).optional(),
});

const retryAfterSeconds = 5;
const reasons = {
  no_voice_process: 'No voice process accepts calls at the moment',
  voice_processes_full: 'All voice processes are at their capacity',
  voice_endpoint_down: 'No voice process can reach a model that the agent needs',
};

export const makeWebCall = defineRoute(
  {
    method: 'post',
    path: '/api/v1/agents/{agent_id}/web-call',
    operationId: 'makeWebCall',
    summary: 'Start a web call',
    description:
      "Starts a conversation in the browser. Returns a WebSocket URL and a token that is valid for one connection within a minute. Pass both to the page, never the API key. The call has a record like any other, with the `provider` `web`, and counts towards your organization's quota and lines. At most ten web calls can be in progress at a time. A call that no browser joins in time ends as `other` with the `meta.outcome` `canceled`. Returns 409 if the agent cannot talk or a limit is reached, and 503 if no voice process can take the call.",
    tag: 'agents',
    rights: 'grant',
    roles: rolesFrom('member'),
    params: z.object({ agent_id: uuid }),
    body: makeWebCallBody,
    headers: idempotencyHeader,
    response: envelope(webCall),
    errors: [503],
  },
  async (request, deps) => {
    const { principal, params, body, organizationId } = request;
    request.warnings.push(...reservedNameWarnings(body?.meta));
    const { callTokenSecret = null, voiceEndpoints = null } = deps.config;
    const tokens = callTokenSecret === null ? null : createCallTokens(callTokenSecret);
    const { data, warnings = [] } = await once(deps, request, keptCall, async (tx) => {
      const requested = await withCallFaults(() =>
        requestWebCallIn(tx, {
          organizationId,
          agentId: params.agent_id,
          promptParams: body?.prompt_params ?? null,
          rejectMissingValues: body?.reject_missing_values ?? false,
          meta: body?.meta ?? null,
          createdBy: principal.userId,
          voiceEndpoints,
          isSupported: tokens !== null,
        }),
      );
      const { callId, url, expiresAt, warnings: own } = requireCarried(requested, tokens);
      return { kept: { data: { id: callId, url, expires_at: expiresAt.toISOString() }, warnings: own } };
    });
    if (tokens === null) throw notCarried('no_voice_process');
    const mintedAt = new Date(new Date(data.expires_at).getTime() - webConnectSeconds * 1_000);
    const token = await tokens.mint(
      { organizationId, callId: data.id },
      { now: mintedAt, lifetimeSeconds: webConnectSeconds },
    );
    return created(
      { call_id: data.id, url: data.url, token, expires_at: data.expires_at },
      metaWithWarnings({}, warnings),
    );
  },
);

function requireCarried(
  requested: RequestedWebCall,
  tokens: CallTokens | null,
): RequestedWebCall & { kind: 'requested' } {
  if (requested.kind === 'none') throw notCarried(requested.reason);
  if (tokens === null) throw notCarried('no_voice_process');
  return requested;
}

function notCarried(reason: keyof typeof reasons): RetryLaterError {
  return new RetryLaterError(503, reason, reasons[reason], { retryAfterSeconds });
}
