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
  /** Reloads the signed-in user and the organization. */
  refresh: () => void;
}

/** The signed-in user; only for the part of the page that requires one. */
export function useSession(): Session {
  const signedIn = useContext(SessionContext);
  if (signedIn === null) throw new Error('no user is signed in');
  return { ...signedIn, may: (least) => mayDo(signedIn.role, least) };
}
