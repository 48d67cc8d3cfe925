/** An OpenID provider that verifies the e-mail addresses of users. */
export interface OidcConfig {
  readonly issuer: URL;
  readonly clientId: string;
  /** Null for a public client, which only uses PKCE. */
  readonly clientSecret: string | null;
  /** The label of the button: "Sign in with …". */
  readonly name: string;
  /** The organization of all users who sign in with this provider; null to find it by the address. */
  readonly organizationId: string | null;
  /** The domains for which this issuer's addresses count as verified where it does not say whether they are. */
  readonly trustedFor?: { readonly issuer: URL; readonly domains: readonly string[] } | null;
}
