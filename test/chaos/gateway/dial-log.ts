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

/** Everything the gateway saw of one call id. Instants are epoch milliseconds of this machine's clock. */
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

/** Answers that say that the gateway has not accepted the call, so that the engine may repeat the attempt under another id. */
const disclaimers: ReadonlySet<PostAnswer> = new Set(['deferred']);

export function wasDisclaimed(call: SeenCall): boolean {
  return call.acceptedAtMs === null && call.posts.every((post) => disclaimers.has(post.answer));
}

/** The gateway refuses older signatures (Standard Webhooks). The engine waits a minute longer (engine/send/place-again.ts). */
const signatureExpiresMs = 5 * 60_000;

/** The gateway never accepted this call, and its signatures had expired when the attempt was sent under the next id. */
export function canNoLongerArrive(call: SeenCall, attempt: readonly SeenCall[]): boolean {
  const lastMs = Math.max(...call.posts.map((post) => post.atMs));
  const later = attempt
    .filter((other) => other !== call)
    .map((other) => Math.min(...other.posts.map((post) => post.atMs)))
    .filter((atMs) => atMs > lastMs);
  return call.acceptedAtMs === null && later.length > 0 && Math.min(...later) - lastMs >= signatureExpiresMs;
}

/** Epoch milliseconds that never go back. */
export function monotonicEpochMs(): number {
  return performance.timeOrigin + performance.now();
}
