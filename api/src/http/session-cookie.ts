import type { CookieOptions, Request, Response } from 'express';

/**
 * The cookie of the console. Scripts cannot read it (`HttpOnly`), and browsers do not send it with requests that another site started
 * (`SameSite=Strict`). `__Host-` (RFC 6265bis) would require HTTPS, which an installation on one machine does not have.
 */
const name = 'outdial_session';

/** 256 bits in base64url. */
const pattern = new RegExp(`(?:^|;\\s*)${name}=([\\w-]{43})(?:;|$)`);

export function readSessionCookie(req: Request): string | null {
  return pattern.exec(req.headers.cookie ?? '')?.[1] ?? null;
}

export function setSessionCookie(
  res: Response,
  token: string,
  { expiresAt, publicUrl }: { expiresAt: Date; publicUrl: string | null },
): void {
  res.cookie(name, token, { ...options(publicUrl), expires: expiresAt });
}

export function clearSessionCookie(res: Response, publicUrl: string | null): void {
  res.clearCookie(name, options(publicUrl));
}

function options(publicUrl: string | null): CookieOptions {
  return { httpOnly: true, sameSite: 'strict', secure: isSecure(publicUrl), path: '/' };
}

/** A proxy terminates TLS, so the request itself does not show it. */
export function isSecure(publicUrl: string | null): boolean {
  return publicUrl?.startsWith('https:') === true;
}
