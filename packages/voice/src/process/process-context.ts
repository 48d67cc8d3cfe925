import type { AgentVoice } from '@outdial/contracts';
import type { VoiceCall } from '@outdial/db';
import type { VoiceActivity } from '../activity/voice-activity.ts';
import type { RunningCall } from '../call/call-parts.ts';
import type { Transport } from '../legs/transports.ts';
import type { ModelEndpoints } from '../models/endpoints.ts';
import type { Retry } from '../with-retries.ts';
import type { SelfReportedCalls } from './self-reported-calls.ts';
import type { VoiceProcessDeps } from './voice-process-deps.ts';

/** Shared by all calls of one process. */
export interface ProcessContext {
  deps: VoiceProcessDeps;
  /** The id of this process in `voice_processes`. */
  processId: string;
  models: ModelEndpoints;
  createVoiceActivity: () => VoiceActivity;
  /** Where recordings are written until they are stored. */
  spoolFolder: string;
  selfReported: SelfReportedCalls;
  retry: Retry;
  /** By call id. */
  running: Map<string, RunningCall>;
  /** The process is ending: running calls were cut off, and a call that starts now is too. */
  isCut: () => boolean;
  synthesize: (voice: AgentVoice, text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
}

/** Whether this process reports the events of a call, because no carrier does. */
export const isSelfReported = (call: VoiceCall, transport: Transport): boolean =>
  call.kind === 'web' || (call.kind === 'phone_inbound' && transport.lacksInboundEvents === true);

/** The medium that an agent of this mode needs its transport to carry. */
export const mediaOf = ({ mode }: Pick<AgentVoice, 'mode'>): Transport['carries'] =>
  mode === 'relay' ? 'text' : 'audio';
