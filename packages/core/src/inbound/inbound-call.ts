import { isE164 } from '../phone-number.ts';

/** Limits of inbound calls, which cost an organization money and use shared voice processes. */
export interface InboundLimits {
  /** Calls of one caller in an hour. Callers who withhold their number count as one at each caller id. */
  ofCallerPerHour: number;
  /** Calls to one caller id in an hour. */
  toNumberPerHour: number;
  /** Concurrent inbound calls of an organization. */
  atATime: number;
}

/** The defaults, unless the operator sets others for an organization. */
export const inboundLimits: Readonly<InboundLimits> = {
  ofCallerPerHour: 6,
  toNumberPerHour: 60,
  atATime: 20,
};

/** Why an inbound call is not answered. */
export type InboundRefusal =
  /** No organization has the number. */
  | 'number_unknown'
  | 'caller_rate'
  | 'number_rate'
  | 'too_many_inbound_calls'
  /** No agent has called the person, or that agent cannot talk, and neither can the number's own. */
  | 'no_agent'
  | 'quota_exceeded'
  | 'no_line_free'
  /** A call with this person is in progress. */
  | 'number_in_call'
  /** The carrier reports a call that is already over. */
  | 'call_over'
  | 'no_voice_process'
  | 'voice_processes_full'
  | 'voice_endpoint_down'
  | 'voice_mode_not_carried'
  | 'voice_url_not_secure'
  | 'failed';

export interface AnsweringAgent {
  agentId: string;
  /** It has a prompt and a voice, and was not deleted. */
  canTalk: boolean;
}

/** Who answers: the agent that last called the person, else the number's own; null if neither can talk. */
export function agentThatAnswers<Agent extends AnsweringAgent>(candidates: {
  lastCalledBy: Agent | null;
  ownOfNumber: Agent | null;
}): Agent | null {
  const { lastCalledBy, ownOfNumber } = candidates;
  if (lastCalledBy?.canTalk === true) return lastCalledBy;
  return ownOfNumber?.canTalk === true ? ownOfNumber : null;
}

/** Which limit a further call would pass; null for none. */
export function refusalOfFurtherCall(
  counts: { ofCallerInHour: number; toNumberInHour: number; now: number },
  limits: InboundLimits,
): 'caller_rate' | 'number_rate' | 'too_many_inbound_calls' | null {
  if (counts.ofCallerInHour >= limits.ofCallerPerHour) return 'caller_rate';
  if (counts.toNumberInHour >= limits.toNumberPerHour) return 'number_rate';
  return counts.now >= limits.atATime ? 'too_many_inbound_calls' : null;
}

/** A number from a carrier, in E.164; null for anything else, such as the text for a withheld number. The plus may be missing. National numbers are not supported. */
export function numberFromCarrier(text: string | null | undefined): string | null {
  const digits = (text ?? '').trim().replace(/^\+/, '');
  if (!/^[1-9]\d{6,14}$/.test(digits)) return null;
  const number = `+${digits}`;
  return isE164(number) ? number : null;
}

/** The last call to a person who calls back. */
export interface EarlierCall {
  at: Date;
  outcome: string | null;
  summary: string | null;
  promptParams: Readonly<Record<string, string>>;
}

const longestSummary = 2_000;

/**
 * The values that an answering agent's prompt may use: those of the previous call if the same agent made it, and its outcome. All of them
 * are set in any case, so that no placeholder stays in a prompt.
 */
export function paramsOfInboundCall(args: {
  calledNumber: string;
  callerNumber: string | null;
  earlier: EarlierCall | null;
}): Record<string, string> {
  const { earlier } = args;
  return {
    ...earlier?.promptParams,
    called_number: args.calledNumber,
    caller_number: args.callerNumber ?? '',
    last_call_at: earlier?.at.toISOString() ?? '',
    last_call_outcome: earlier?.outcome ?? '',
    last_call_summary: (earlier?.summary ?? '').slice(0, longestSummary),
  };
}
