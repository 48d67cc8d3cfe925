import { spanned } from '../spans.ts';
import type { ToolCall } from '../language-model/index.ts';
import type { Tool, ToolOutcome } from './tool.ts';

/** How a tool call ended. `interrupted`: the person spoke first. `unknown`: the model invented the tool. */
export type ToolEnd = 'done' | 'failed' | 'timeout' | 'interrupted' | 'unknown';

const toolMsAtMost = 10_000;

/** The calls of one round in the order in which they run: an opt-out first, so that nothing that ends the answer comes before it. */
export const inOrder = (calls: readonly ToolCall[], tools: ReadonlyMap<string, Tool>): ToolCall[] =>
  calls.toSorted(
    (a, b) => Number(tools.get(b.name)?.runsFirst ?? false) - Number(tools.get(a.name)?.runsFirst ?? false),
  );

/**
 * Runs a tool for a model. The result tells the model about failures, and errors go to `onFault`.
 * @param options `signal`: aborts when the person speaks; tools with `runsToEnd` continue
 */
export async function runTool(
  tools: ReadonlyMap<string, Tool>,
  call: ToolCall,
  options: {
    signal: AbortSignal;
    onFault: (error: unknown) => void;
    onToolEnd?: ((tool: string, end: ToolEnd) => void) | undefined;
  },
): Promise<ToolOutcome> {
  const tool = tools.get(call.name);
  const ended = (end: ToolEnd) => options.onToolEnd?.(call.name, end);
  if (tool === undefined) {
    ended('unknown');
    return { text: `There is no tool ${call.name}.` };
  }
  const late = AbortSignal.timeout(toolMsAtMost);
  const signal = tool.runsToEnd ? late : AbortSignal.any([options.signal, late]);
  try {
    const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': call.name };
    const outcome = await spanned(`execute_tool ${call.name}`, attributes, () =>
      untilAborted(tool.run(call.arguments, signal), signal),
    );
    ended(outcome.note?.type === 'tool_failed' ? 'failed' : 'done');
    return outcome;
  } catch (error) {
    if (options.signal.aborted && !tool.runsToEnd) {
      ended('interrupted');
      return { text: 'The person spoke before it finished. Its result is unknown.' };
    }
    options.onFault(error);
    ended(late.aborted ? 'timeout' : 'failed');
    const text = late.aborted ? 'It took too long. Its result is unknown.' : 'It failed.';
    return {
      text,
      note: { type: 'tool_failed', tool: call.name, reason: late.aborted ? 'timeout' : 'error' },
    };
  }
}

/** Rejects on an abort, even if the work ignores its signal. */
async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const gaveUp = Promise.withResolvers<never>();
  const giveUp = () => gaveUp.reject(new Error('gave up', { cause: signal.reason }));
  if (signal.aborted) giveUp();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work, gaveUp.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
    work.catch(() => undefined);
    gaveUp.promise.catch(() => undefined);
  }
}
