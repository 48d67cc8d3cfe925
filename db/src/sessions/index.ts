export { createSession, type NewSession } from './create-session.ts';
export { createSignInLink } from './create-sign-in-link.ts';
export { endSession } from './end-sessions.ts';
export { findSession, type SessionIdentity } from './find-session.ts';
export { findSignInUser, type SignInUser } from './find-sign-in-user.ts';
export { forgetExpiredSessions } from './forget-expired-sessions.ts';
export { hashToken } from './token.ts';
export { touchSession } from './touch-session.ts';
export { useSignInLink } from './use-sign-in-link.ts';
