import type { CallSpan } from '../plots/call-series.ts';
import { api, ok, type Schemas } from './api.ts';

export type Call = Schemas['Call'];

export async function readCall(callId: string): Promise<Call> {
  const { data } = await ok(api.GET('/api/v1/calls/{call_id}', { params: { path: { call_id: callId } } }));
  return data;
}

/** A call of a campaign that has not ended. */
export function isInProgress({ status }: Pick<Call, 'status'>): boolean {
  return status === 'init' || status === 'start';
}

interface CallEvent {
  type: string;
  at: string;
}

/** The events of a call that have a type and an instant, oldest first. */
export function eventsOf({ events }: Pick<Call, 'events'>): CallEvent[] {
  return (events ?? []).flatMap(({ type, at }) =>
    typeof type === 'string' && typeof at === 'string' ? [{ type, at }] : [],
  );
}

/** When the call had its line; null if its start is unknown. */
export function spanOf(call: Pick<Call, 'created_at' | 'status' | 'events' | 'duration'>): CallSpan | null {
  if (call.created_at === null) return null;
  const startedAt = Date.parse(call.created_at) / 1_000;
  if (isInProgress(call)) return { startedAt, endedAt: null };
  const last = eventsOf(call).at(-1);
  const endedAt = last === undefined ? startedAt + (call.duration ?? 0) : Date.parse(last.at) / 1_000;
  return { startedAt, endedAt: Math.max(startedAt, endedAt) };
}

export function attemptOf({ meta }: Pick<Call, 'meta'>): number {
  const attempt = meta?.['attempt'];
  return typeof attempt === 'number' ? attempt : 1;
}

export function campaignOf({ meta }: Pick<Call, 'meta'>): string | null {
  const campaignId = meta?.['campaign_id'];
  return typeof campaignId === 'string' ? campaignId : null;
}
