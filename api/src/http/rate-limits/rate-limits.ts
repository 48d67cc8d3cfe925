import { type Db, requestsPerMinute } from '@outdial/db';
import type { Response } from 'express';
import { RetryLaterError } from '../errors.ts';
import type { Principal } from '../principal.ts';
import { ShortCache } from '../short-cache.ts';
import { type RateState, type SharedCounter, SharedRate } from './shared-rate.ts';

export interface RateLimits {
  /** Counts a request, and adds the headers with the rest of the rate. @throws RetryLaterError (429) */
  take(principal: Principal, res: Response): Promise<void>;
}

export interface RateLimitSettings {
  readonly credentialPerMinute: number;
  readonly organizationPerMinute: number;
}

const rateWindowSeconds = 60;
const rememberLimitMs = 10_000;

/** Requests per minute of each user's credentials, and of each organization. */
export function rateLimits(
  { db, counter, onFailure }: { db: Db; counter: SharedCounter; onFailure: (error: unknown) => void },
  settings: RateLimitSettings,
): RateLimits {
  const rate = new SharedRate(counter, { windowSeconds: rateWindowSeconds, onFailure });
  const limits = new ShortCache<number | null>(rememberLimitMs);

  return {
    async take({ organizationId, userId, credential }, res) {
      const own = await limits.get(organizationId, () => requestsPerMinute(db, organizationId));
      const organizationLimit = own ?? settings.organizationPerMinute;
      const credentialLimit = Math.min(settings.credentialPerMinute, organizationLimit);
      const [ofCredential, ofOrganization] = await Promise.all([
        rate.take(`c:${credential.id ?? userId}`, credentialLimit),
        rate.take(`o:${organizationId}`, organizationLimit),
      ]);
      tell(res, { credential: ofCredential, organization: ofOrganization });
      const refused = [ofCredential, ofOrganization].filter(({ allowed }) => !allowed);
      if (refused.length === 0) return;
      throw new RetryLaterError(429, 'too_many_requests', 'Too many requests', {
        retryAfterSeconds: Math.max(...refused.map(({ resetSeconds }) => resetSeconds)),
      });
    },
  };
}

/** As in the IETF draft on RateLimit headers (draft-ietf-httpapi-ratelimit-headers). */
function tell(res: Response, states: Readonly<Record<string, RateState>>): void {
  const all = Object.entries(states);
  res.setHeader(
    'RateLimit-Policy',
    all.map(([name, { limit }]) => `"${name}";q=${limit};w=${rateWindowSeconds}`).join(', '),
  );
  res.setHeader(
    'RateLimit',
    all.map(([name, { remaining, resetSeconds }]) => `"${name}";r=${remaining};t=${resetSeconds}`).join(', '),
  );
}
