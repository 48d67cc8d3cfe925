import { errors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

const tokenIssuer = 'outdial';

export interface SignedTokens<Claims> {
  mint(claims: Claims, times: { now: Date; lifetimeSeconds: number }): Promise<string>;
  /** Null for an invalid or expired token. */
  verify(token: string, now: Date): Promise<Claims | null>;
}

/**
 * Signs and verifies tokens for one purpose. All processes share the secret of at least 32 characters. The `audience` tells these tokens from
 * others that are signed with the same secret.
 */
export function createSignedTokens<Claims extends Record<string, unknown>>(args: {
  secret: string;
  audience: string;
  claims: z.ZodType<Claims>;
}): SignedTokens<Claims> {
  const { audience, claims: schema } = args;
  const key = new TextEncoder().encode(args.secret);
  return {
    mint(claims, { now, lifetimeSeconds }) {
      const issuedAt = Math.floor(now.getTime() / 1_000);
      return new SignJWT(claims)
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(tokenIssuer)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + lifetimeSeconds)
        .sign(key);
    },
    async verify(token, now) {
      try {
        const { payload } = await jwtVerify(token, key, {
          issuer: tokenIssuer,
          audience,
          algorithms: ['HS256'],
          requiredClaims: ['exp'],
          currentDate: now,
        });
        return schema.parse(payload);
      } catch (error) {
        if (error instanceof errors.JOSEError || error instanceof z.ZodError) return null;
        throw error;
      }
    },
  };
}
