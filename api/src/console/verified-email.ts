import { z } from 'zod';
import type { OidcConfig } from './oidc-config.ts';

const claims = z.object({
  email: z.string().min(3).max(320),
  /** Cognito and Apple send a word instead of a boolean; Entra sends nothing. */
  email_verified: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((word) => word === 'true')])
    .optional(),
});

/**
 * The address in these claims, if the provider vouches for it: by saying that it is verified, or, where it says nothing, because the operator trusts
 * this issuer for the domain of the address. Null if it does not, and `false` is never overruled.
 */
export function verifiedEmail(
  told: unknown,
  { issuer, trustedFor }: Pick<OidcConfig, 'issuer' | 'trustedFor'>,
): string | null {
  const read = claims.safeParse(told);
  if (!read.success) return null;
  const { email, email_verified } = read.data;
  if (email_verified !== undefined) return email_verified ? email : null;
  const [, domain, ...more] = email.toLowerCase().split('@');
  if (domain === undefined || more.length > 0 || trustedFor?.issuer.href !== issuer.href) return null;
  return trustedFor.domains.includes(domain) ? email : null;
}
