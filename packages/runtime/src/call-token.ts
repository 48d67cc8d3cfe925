import { z } from 'zod';
import { createSignedTokens } from './signed-token.ts';

/** The call that a media connection is for. */
export interface CallScope {
  organizationId: string;
  callId: string;
}

const claims = z.object({ sub: z.guid(), org: z.guid() });

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
    mint: ({ organizationId, callId }, times) => tokens.mint({ sub: callId, org: organizationId }, times),
    async verify(token, now) {
      const found = await tokens.verify(token, now);
      return found && { organizationId: found.org, callId: found.sub };
    },
  };
}
