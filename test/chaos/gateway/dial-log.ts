/** How the gateway answered one `POST /calls`. */
export type PostAnswer =
  | 'accepted'
  | 'repeated'
  | 'deferred'
  | 'refused'
  | 'dropped_before'
  | 'dropped_after'
  | 'failed_before'
  | 'failed_after';

/** All that the gateway ever saw of one call id. Instants are milliseconds of the epoch, by this machine's clock. */
export interface SeenCall {
  callId: string;
  organizationId: string;
  campaignId: string | null;
  attempt: number;
  toPhone: string;
  posts: Array<{ atMs: number; answer: PostAnswer }>;
  acceptedAtMs: number | null;
  endedAtMs: number | null;
  outcome: string | null;
  hungUp: boolean;
}

/** Answers after which the engine may try the attempt again under another id: the gateway said that it has not taken it. */
const disclaimers: ReadonlySet<PostAnswer> = new Set(['deferred']);

export function wasDisclaimed(call: SeenCall): boolean {
  return call.acceptedAtMs === null && call.posts.every((post) => disclaimers.has(post.answer));
}

/** A gateway refuses a signature that is older (Standard Webhooks). The engine waits a minute longer (engine/calls/place-again.ts). */
const signatureExpiresMs = 5 * 60_000;

/** The gateway never took this call, and its signatures had expired when the attempt went out under the next id. */
export function canNoLongerArrive(call: SeenCall, attempt: readonly SeenCall[]): boolean {
  const lastMs = Math.max(...call.posts.map((post) => post.atMs));
  const later = attempt
    .filter((other) => other !== call)
    .map((other) => Math.min(...other.posts.map((post) => post.atMs)))
    .filter((atMs) => atMs > lastMs);
  return call.acceptedAtMs === null && later.length > 0 && Math.min(...later) - lastMs >= signatureExpiresMs;
}

/** Milliseconds of the epoch that never run backwards. */
export function monotonicEpochMs(): number {
  return performance.timeOrigin + performance.now();
}
