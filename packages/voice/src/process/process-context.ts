import type { AgentVoice } from '@outdial/contracts';
import type { VoiceCall } from '@outdial/db';
import type { VoiceActivity } from '../activity/voice-activity.ts';
import type { RunningCall } from '../call/call-parts.ts';
import type { Transport } from '../legs/transports.ts';
import type { ModelEndpoints } from '../models/endpoints.ts';
import type { SelfReportedCalls } from './self-reported-calls.ts';
import type { VoiceProcessDeps } from './voice-process-deps.ts';

/** What the calls of one process share. */
export interface ProcessContext {
  deps: VoiceProcessDeps;
  /** Its id in `voice_processes`. */
  processId: string;
  models: ModelEndpoints;
  /** Creates a detector for one call. */
  createVoiceActivity: () => VoiceActivity;
  /** Where recordings are written until they are stored. */
  spoolFolder: string;
  selfReported: SelfReportedCalls;
  /** By call id. */
  running: Map<string, RunningCall>;
  /** The process ends: running calls were cut, and so is a call that starts now. */
  isCut: () => boolean;
  synthesize: (voice: AgentVoice, text: string, signal: AbortSignal) => AsyncIterable<Int16Array>;
}

/** Whether this process reports the events of a call, because no carrier does. */
export const isSelfReported = (call: VoiceCall, transport: Transport): boolean =>
  call.kind === 'web' || (call.kind === 'phone_inbound' && transport.lacksInboundEvents === true);

/** What a transport must carry for an agent of this mode. */
export const mediaOf = ({ mode }: Pick<AgentVoice, 'mode'>): Transport['carries'] =>
  mode === 'relay' ? 'text' : 'audio';
