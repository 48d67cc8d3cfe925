import type { ToolCall } from './language-model.ts';

interface CallPart {
  index?: number | null | undefined;
  id?: string | null | undefined;
  function?: { name?: string | null | undefined; arguments?: string | null | undefined } | null | undefined;
}

const callsAtMost = 16;
const argumentsAtMost = 65_536;

/** Assembles streamed tool calls. The first part has the name; later parts have pieces of the arguments. Some servers number the calls, others repeat the id. */
export function gatherToolCalls(): { add(parts: readonly CallPart[]): void; all(): ToolCall[] } {
  const calls = new Map<number, ToolCall>();
  let last = -1;
  return {
    add(parts) {
      for (const part of parts) {
        const startsAnother = part.id != null && calls.get(last)?.id !== part.id;
        const index = part.index ?? (startsAnother ? last + 1 : Math.max(last, 0));
        if (index >= callsAtMost) continue;
        last = index;
        const call = calls.get(index) ?? { id: '', name: '', arguments: '' };
        call.id ||= part.id ?? '';
        call.name ||= part.function?.name ?? '';
        call.arguments = (call.arguments + (part.function?.arguments ?? '')).slice(0, argumentsAtMost);
        calls.set(index, call);
      }
    },
    all: () =>
      [...calls.entries()]
        .toSorted(([a], [b]) => a - b)
        .filter(([, call]) => call.name !== '')
        .map(([index, call]) => ({ ...call, id: call.id === '' ? `call_${index}` : call.id })),
  };
}
