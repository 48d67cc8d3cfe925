import type { ToolCall } from '../language-model/index.ts';
import type { Tool, ToolOutcome } from './tool.ts';

/** How a call of a tool ended. `interrupted`: the person spoke first. `unknown`: the model made the tool up. */
export type ToolEnd = 'done' | 'failed' | 'timeout' | 'interrupted' | 'unknown';

/** A person waits on the line meanwhile. */
const toolMsAtMost = 10_000;

/**
 * Runs what a model asked for. Whatever becomes of it is told to the model; a fault of the service goes to `onFault`, in the log.
 * @param signal aborts where the person speaks meanwhile; what must be finished goes on all the same
 */
export async function runTool(
  tools: ReadonlyMap<string, Tool>,
  call: ToolCall,
  options: {
    signal: AbortSignal;
    onFault: (error: unknown) => void;
    onEnd?: ((tool: string, end: ToolEnd) => void) | undefined;
  },
): Promise<ToolOutcome> {
  const tool = tools.get(call.name);
  const ended = (end: ToolEnd) => options.onEnd?.(call.name, end);
  if (tool === undefined) {
    ended('unknown');
    return { text: `There is no tool ${call.name}.` };
  }
  const late = AbortSignal.timeout(toolMsAtMost);
  const signal = tool.isFinished ? late : AbortSignal.any([options.signal, late]);
  try {
    const outcome = await untilAborted(tool.run(call.arguments, signal), signal);
    ended(outcome.note?.type === 'tool_failed' ? 'failed' : 'done');
    return outcome;
  } catch (error) {
    if (options.signal.aborted && !tool.isFinished) {
      ended('interrupted');
      return { text: 'The person spoke before it was finished. What became of it is not known.' };
    }
    options.onFault(error);
    ended(late.aborted ? 'timeout' : 'failed');
    const text = late.aborted ? 'It took too long, and what became of it is not known.' : 'It failed.';
    return {
      text,
      note: { type: 'tool_failed', tool: call.name, reason: late.aborted ? 'timeout' : 'error' },
    };
  }
}

/** A tool that does not look at its signal holds nothing up. */
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
