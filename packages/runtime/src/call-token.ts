import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** The call that a media connection is for. */
export interface CallScope {
  organizationId: string;
  callId: string;
}

const ISSUER = 'outdial';
/** Sets these tokens apart from all others, even where they are signed with one secret. */
const AUDIENCE = 'outdial:call-media';

const claims = z.object({ sub: z.guid(), org: z.guid() });

export interface CallTokens {
  /** Names one call to the voice process that carries it; it ends after `lifetimeSeconds`. */
  mint(scope: CallScope, times: { now: Date; lifetimeSeconds: number }): Promise<string>;
  /** Null for anything that is not, or no longer, such a token. */
  verify(token: string, now: Date): Promise<CallScope | null>;
}

/** Workers and voice processes share the secret, of at least 32 characters. */
export function createCallTokens(secret: string): CallTokens {
  const key = new TextEncoder().encode(secret);
  return {
    mint({ organizationId, callId }, { now, lifetimeSeconds }) {
      const issuedAt = Math.floor(now.getTime() / 1_000);
      return new SignJWT({ org: organizationId })
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(ISSUER)
        .setAudience(AUDIENCE)
        .setSubject(callId)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(key);
    },
    async verify(token, now) {
      try {
        const { payload } = await jwtVerify(token, key, {
          issuer: ISSUER,
          audience: AUDIENCE,
          algorithms: ['HS256'],
          requiredClaims: ['exp', 'sub', 'org'],
          currentDate: now,
        });
        const { sub, org } = claims.parse(payload);
        return { organizationId: org, callId: sub };
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
        throw error;
      }
    },
  };
}
