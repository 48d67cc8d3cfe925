import { z } from 'zod';

/** What `openid-client` throws for a token that is not valid yet, or not any more. */
const untimely = z.object({
  code: z.literal('OAUTH_JWT_TIMESTAMP_CHECK_FAILED'),
  cause: z.object({
    cause: z.object({
      claim: z.enum(['nbf', 'exp']),
      now: z.number(),
      claims: z.object({ nbf: z.number().optional(), exp: z.number().optional() }),
    }),
  }),
});

export interface ClockFault {
  /** The claim of the token that does not fit this machine's clock. */
  claim: 'nbf' | 'exp';
  /** By how many seconds at least this clock is ahead of the provider's. Negative if it is behind. */
  aheadSeconds: number;
}

/**
 * Why a token that the provider has just issued is out of time: the two clocks disagree. Null for any other error. The claims have personal data, so
 * only this is logged, and not the error.
 */
export function clockFaultOf(error: unknown): ClockFault | null {
  const read = untimely.safeParse(error);
  if (!read.success) return null;
  const { claim, now, claims } = read.data.cause.cause;
  return { claim, aheadSeconds: now - (claims[claim] ?? now) };
}
