import type { ChaosStack } from '../stack/chaos-stack.ts';
import type { ChaosCampaign } from '../run/campaigns.ts';
import type { PauseLog } from './pause-log.ts';
import type { RequestKind, RequestLog } from './requests.ts';

export const faultKinds = [
  'kill-worker',
  'suspend-worker',
  'kill-scheduler',
  'kill-api',
  'redis-kill',
  'redis-loses-everything',
  'redis-flush',
  'postgres-crash',
  'gateway-outage',
  'pause-and-resume',
  'power-cut',
] as const;
export type FaultKind = (typeof faultKinds)[number] | RequestKind;

export interface PlannedFault {
  /** Since the start of the campaigns. */
  atMs: number;
  kind: FaultKind;
  /** The index of the worker or campaign, if there are several. */
  target: number;
  durationMs: number;
}

export interface FaultField {
  stack: ChaosStack;
  campaigns: readonly ChaosCampaign[];
  pauses: PauseLog;
  requests: RequestLog;
  workers: number;
}
