import { context, propagation } from '@opentelemetry/api';
import { z } from 'zod';
import { createSignedTokens } from './signed-token.ts';

export interface CallScope {
  organizationId: string;
  callId: string;
  /** The trace in which the token was made, if that was traced. */
  traceparent?: string | undefined;
}

const claims = z.object({ sub: z.guid(), org: z.guid(), trace: z.string().max(100).optional() });

export interface CallTokens {
  /** A token for the voice process that carries the call. */
  mint(scope: CallScope, times: { now: Date; lifetimeSeconds: number }): Promise<string>;
  /** Null for an invalid or expired token. */
  verify(token: string, now: Date): Promise<CallScope | null>;
}

/** Workers and voice processes share the secret, of at least 32 characters. */
export function createCallTokens(secret: string): CallTokens {
  const tokens = createSignedTokens({ secret, audience: 'outdial:call-media', claims });
  return {
    mint({ organizationId, callId }, times) {
      const trace: { traceparent?: string } = {};
      propagation.inject(context.active(), trace);
      return tokens.mint({ sub: callId, org: organizationId, trace: trace.traceparent }, times);
    },
    async verify(token, now) {
      const found = await tokens.verify(token, now);
      return found && { organizationId: found.org, callId: found.sub, traceparent: found.trace };
    },
  };
}
