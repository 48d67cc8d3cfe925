import { Turns, type TelephonyProvider } from '@outdial/core';
import type { AgentContext, GatePass } from '@outdial/db';
import type { DialingDeps } from '../deps.ts';
import type { ProgressRecorder } from '../progress/recorder.ts';
import type { CallChecker } from './call-checker.ts';
import type { ProviderQuestions } from './provider-questions.ts';

export interface SendDeps extends DialingDeps {
  progress: ProgressRecorder;
  checker: CallChecker;
  questions: ProviderQuestions;
  /** Transactions that wait for a long change of their organization. Others would find no connection if all of an organization's waited. */
  held: Turns;
}

const heldAtOnce = 4;

export function createHeldTurns(): Turns {
  return new Turns({ atOnce: heldAtOnce, perOrganization: 1 });
}

export interface GatedCall {
  pass: GatePass;
  organizationId: string;
  agent: AgentContext;
  promptText: string;
  campaignId: string | null;
  recipientId: string | null;
  attempt: number;
  meta: Record<string, unknown>;
  /** `performance.now()` before the gate. */
  gateBeganAtMs: number;
  /** The call was sent before with an unknown result, so its row must stay. */
  isRepeat?: boolean;
  /** The campaign is paused for a fault of its agent, and goes on if the provider accepts this call. */
  endsPause?: boolean;
}

/** Whether the provider may not have dialed a call that it accepted. */
export const isOnlyAccepted = (provider: TelephonyProvider | undefined): boolean =>
  provider?.withdraw !== undefined || provider?.acceptsUnasked === true;

export type Sent = 'accepted' | 'refused' | 'deferred' | 'unknown' | 'too_late';
