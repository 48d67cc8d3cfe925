/** An OpenID provider that vouches for the e-mail addresses of users. */
export interface OidcConfig {
  readonly issuer: URL;
  readonly clientId: string;
  /** Null for a public client, which proves itself by PKCE alone. */
  readonly clientSecret: string | null;
  /** The label of the button: "Sign in with …". */
  readonly name: string;
  /** The organization of all users who sign in by it; null finds it by the address. */
  readonly organizationId: string | null;
}
