import type { AgentVoice } from '@outdial/contracts';
import type { VoiceCall } from '@outdial/db';
import type { VoiceActivity } from '../activity/voice-activity.ts';
import type { RunningCall } from '../call/call-parts.ts';
import type { WayToPerson } from '../legs/ways.ts';
import type { WebCalls } from '../legs/web/web-calls.ts';
import type { ModelEndpoints } from '../models/endpoints.ts';
import type { VoiceProcessDeps } from './voice-process-deps.ts';

/** What the calls of one process share. */
export interface CallsOfProcess {
  deps: VoiceProcessDeps;
  /** Of the row of this process. */
  processId: string;
  models: ModelEndpoints;
  /** Makes what tells voice from other sound on one call. */
  detector: () => VoiceActivity;
  /** Where recordings are written until they are stored. */
  spoolFolder: string;
  /** Calls whose course no carrier tells. */
  web: WebCalls;
  /** Those that go on, by their ids. */
  running: Map<string, RunningCall>;
  /** Calls were cut since the process ends; one that begins after that is cut as well. */
  isCut: () => boolean;
  say: (voice: AgentVoice, text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
}

/** Whether the course of a call is told by this process. */
export const toldHere = (call: VoiceCall, way: WayToPerson): boolean =>
  call.kind === 'web' || (call.kind === 'phone_inbound' && way.isSilentOfInbound === true);

/** The carrier itself hears and speaks for an agent of this mode. */
export const carriedBy = ({ mode }: Pick<AgentVoice, 'mode'>): WayToPerson['carries'] =>
  mode === 'relay' ? 'words' : 'sound';
