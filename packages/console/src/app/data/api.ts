import { createOutdialClient, OutdialError, type components } from '@outdial/client';

export { ok, OutdialError } from '@outdial/client';

export type Schemas = components['schemas'];

/** Only the console's own scripts can send it: see docs/decisions/security.md. */
const ownHeaders = { 'X-Outdial-Console': '1' };

const endedListeners = new Set<() => void>();

/** Calls `listener` when an answer shows that the session has ended. Returns a function that stops this. */
export function onSessionEnd(listener: () => void): () => void {
  endedListeners.add(listener);
  return () => endedListeners.delete(listener);
}

/** Every operation of the interface, with the session's cookie. */
export const api = createOutdialClient({
  baseUrl: location.origin,
  fetch: async (request) => {
    // Reads need no such header, and a preloaded read would not match with it.
    if (request.method !== 'GET') {
      for (const [name, value] of Object.entries(ownHeaders)) request.headers.set(name, value);
    }
    const response = await fetch(request);
    if (response.status === 401) for (const listener of endedListeners) listener();
    return response;
  },
});

export type Role = Schemas['User']['role'];

export interface SignedIn {
  role: Role;
  user: { id: string; email: string; first_name: string; last_name: string };
  organization: { id: string; name: string; timezone: string };
}

export interface SessionAnswer {
  data: SignedIn | null;
  sign_in: { oidc: { name: string } | null };
}

const sessionPath = '/console/session';

/** The preloaded session, if the page was served with one. Saves the first round trip; used once. */
function takeGivenSession(): SessionAnswer | null {
  const given = document.getElementById('session');
  if (given === null) return null;
  given.remove();
  // The type of the api's own answer, as below.
  return JSON.parse(given.textContent) as SessionAnswer;
}

export async function readSession(): Promise<SessionAnswer> {
  const given = takeGivenSession();
  if (given !== null) return given;
  const response = await fetch(sessionPath, { headers: ownHeaders });
  const body: unknown = await response.json();
  if (!response.ok) throw new OutdialError(response, body);
  // The type of the api's own answer, which its tests check.
  return body as SessionAnswer;
}

/** The organizations of a person whose address an OpenID provider has verified; empty if there is no choice. */
export interface OrganizationChoice {
  items: Array<{ id: string; name: string }>;
  /** Shows that the choice was made on this page. */
  token: string;
}

export async function readOrganizationChoice(): Promise<OrganizationChoice> {
  const response = await fetch(`${sessionPath}/oidc/organizations`, { headers: ownHeaders });
  const body: unknown = await response.json();
  if (!response.ok) throw new OutdialError(response, body);
  // The type of the api's own answer, which its tests check.
  return (body as { data: OrganizationChoice }).data;
}

/** @throws OutdialError if the key or the link is refused */
export async function signIn(body: { api_key: string } | { link: string }): Promise<void> {
  const response = await fetch(sessionPath, {
    method: 'POST',
    headers: { ...ownHeaders, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new OutdialError(response, await response.json().catch(() => null));
}

export async function signOut(): Promise<void> {
  const response = await fetch(sessionPath, { method: 'DELETE', headers: ownHeaders });
  if (!response.ok) throw new OutdialError(response, await response.json().catch(() => null));
}
