import type { AgentVoice } from '@outdial/contracts';
import type { CallKind } from '@outdial/core';

/** Whether a mailbox may have answered, and the agent wants to know. Nobody who calls, or opens a page, is one. */
export const listensForMachine = (kind: CallKind, voice: Pick<AgentVoice, 'machine_detection'>): boolean =>
  kind === 'phone_outbound' && voice.machine_detection;
