import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Role, SignedIn } from './api.ts';

const leastFirst: readonly Role[] = ['viewer', 'member', 'manager', 'admin'];

export function mayDo(role: Role, least: Role): boolean {
  return leastFirst.indexOf(role) >= leastFirst.indexOf(least);
}

export const SessionContext = createContext<(SignedIn & { refresh: () => void }) | null>(null);

export interface Session extends SignedIn {
  /** Whether the role allows what `least` and every role above it may do. */
  may: (least: Role) => boolean;
  /** Reads again who is signed in, and what the organization is called. */
  refresh: () => void;
}

/** Who is signed in; only inside the part of the page that needs somebody to be. */
export function useSession(): Session {
  const signedIn = useContext(SessionContext);
  if (signedIn === null) throw new Error('no user is signed in');
  return { ...signedIn, may: (least) => mayDo(signedIn.role, least) };
}
