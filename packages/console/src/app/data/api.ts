import { createOutdialClient, OutdialError, type components } from '@outdial/client';

export { ok, OutdialError } from '@outdial/client';

/** The shapes of the interface, by name. */
export type Schemas = components['schemas'];

/** Only the console's own scripts can send it: see docs/decisions/0170. */
const ownHeaders = { 'X-Outdial-Console': '1' };

const endedListeners = new Set<() => void>();

/** Calls `listener` when an answer says that the session is over. Returns a function that stops it. */
export function onSessionEnd(listener: () => void): () => void {
  endedListeners.add(listener);
  return () => endedListeners.delete(listener);
}

/** Every operation of the interface, with the session's cookie. */
export const api = createOutdialClient({
  baseUrl: location.origin,
  fetch: async (request) => {
    // A read needs none, and with one it would not be what the page has asked for already.
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

/** What the page came with, where its request was somebody's who is signed in: it saves the first round trip. Good once. */
function takeGivenSession(): SessionAnswer | null {
  const given = document.getElementById('session');
  if (given === null) return null;
  given.remove();
  // The api's own answer, as below.
  return JSON.parse(given.textContent) as SessionAnswer;
}

export async function readSession(): Promise<SessionAnswer> {
  const given = takeGivenSession();
  if (given !== null) return given;
  const response = await fetch(sessionPath, { headers: ownHeaders });
  const body: unknown = await response.json();
  if (!response.ok) throw new OutdialError(response, body);
  // The api's own answer, which its tests hold to this shape.
  return body as SessionAnswer;
}

/** Where a person whose address an OpenID provider has just proven may sign in; empty if there is no choice. */
export interface OrganizationChoice {
  items: Array<{ id: string; name: string }>;
  /** Shows that the choice was made on this page. */
  token: string;
}

export async function readOrganizationChoice(): Promise<OrganizationChoice> {
  const response = await fetch(`${sessionPath}/oidc/organizations`, { headers: ownHeaders });
  const body: unknown = await response.json();
  if (!response.ok) throw new OutdialError(response, body);
  // The api's own answer, which its tests hold to this shape.
  return (body as { data: OrganizationChoice }).data;
}

/** @throws OutdialError where the key or the link is refused */
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
