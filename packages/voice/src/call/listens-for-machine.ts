import type { AgentVoice } from '@outdial/contracts';
import type { CallKind } from '@outdial/core';

/** Whether a mailbox may have answered, and the agent handles mailboxes. Incoming and browser calls never reach one. */
export const listensForMachine = (kind: CallKind, voice: Pick<AgentVoice, 'machine_detection'>): boolean =>
  kind === 'phone_outbound' && voice.machine_detection;
