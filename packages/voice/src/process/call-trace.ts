import { type Context, context, propagation, ROOT_CONTEXT, type Span, trace } from '@opentelemetry/api';
import type { Conversation } from '../conversation/conversation.ts';
import { spanned, spannedSteps, stepsWithin, tracer } from '../spans.ts';
import type { TurnRecord } from '../turn/turn-messages.ts';

/**
 * The spans of one conversation, by the semantic conventions for generative AI: turns below the conversation, and below them what the recognizer, the
 * model, tools and the voice did. They have no words: those are in the call's record.
 * @param args `traceparent`: the trace in which the call was placed
 */
export function createCallTrace(args: {
  callId: string;
  agentId: string;
  recognizer: string;
  voice: string;
  traceparent: string | undefined;
}) {
  const { callId, agentId, traceparent } = args;
  const placed =
    traceparent === undefined ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, { traceparent });
  const conversation = tracer.startSpan(
    'invoke_agent',
    {
      attributes: {
        'gen_ai.operation.name': 'invoke_agent',
        'gen_ai.agent.id': agentId,
        'gen_ai.conversation.id': callId,
        'outdial.call_id': callId,
      },
    },
    placed,
  );
  const whole = trace.setSpan(placed, conversation);
  let turn: { span: Span; context: Context } | null = null;

  /** A turn begins with the first work for it. */
  function current(): Context {
    if (turn === null) {
      const span = tracer.startSpan('turn', { attributes: { 'gen_ai.conversation.id': callId } }, whole);
      turn = { span, context: trace.setSpan(whole, span) };
    }
    return turn.context;
  }

  function endTurn(): void {
    turn?.span.end();
    turn = null;
  }

  return {
    recognizes: <T>(work: () => Promise<T>) =>
      spanned(
        'transcribe',
        { 'gen_ai.operation.name': 'transcribe', 'outdial.endpoint': args.recognizer },
        work,
        current(),
      ),
    speaks: <T>(sound: () => AsyncIterable<T>) =>
      spannedSteps(
        'speak',
        { 'gen_ai.operation.name': 'speak', 'outdial.endpoint': args.voice },
        sound,
        current(),
      ),
    /** The same conversation, whose models and tools have spans below the turn. */
    of(other: Conversation): Conversation {
      const { prepare } = other;
      return {
        ...other,
        reply: (heard, signal) => stepsWithin(current(), other.reply(heard, signal)),
        replyToEvent: (text, signal) => stepsWithin(current(), other.replyToEvent(text, signal)),
        replyToKeys: (digits, signal) => stepsWithin(current(), other.replyToKeys(digits, signal)),
        ...(prepare && {
          prepare(heard: string) {
            const reply = context.with(current(), () => prepare(heard));
            return { ...reply, steps: (signal: AbortSignal) => stepsWithin(current(), reply.steps(signal)) };
          },
        }),
      };
    },
    /** The turn of the agent ends that of both. */
    turn({ role, interrupted }: TurnRecord) {
      if (role !== 'agent') return;
      turn?.span.setAttribute('outdial.interrupted', interrupted);
      endTurn();
    },
    end(reason: string) {
      endTurn();
      conversation.setAttribute('outdial.end_reason', reason);
      conversation.end();
    },
  };
}
