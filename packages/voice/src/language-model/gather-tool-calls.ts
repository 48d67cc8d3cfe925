import { parseJson } from '@outdial/core';
import type { ToolCall } from './language-model.ts';

interface CallPart {
  index?: number | null | undefined;
  id?: string | null | undefined;
  function?:
    | {
        name?: string | null | undefined;
        arguments?: string | Record<string, unknown> | null | undefined;
      }
    | null
    | undefined;
  [field: string]: unknown;
}

interface GatheredCall extends ToolCall {
  index: number | null;
  /** Other fields of the server, which it wants back. */
  own: Record<string, unknown>;
}

const callsAtMost = 16;
const argumentsAtMost = 65_536;
const standardFields = new Set(['index', 'id', 'type', 'function']);

/**
 * Assembles streamed tool calls. The first part has the name; later parts have pieces of the arguments. Some servers number the calls, others repeat the
 * id, and some give every call the number 0: a new id with a name begins another call, and so does a name after complete arguments.
 */
export function gatherToolCalls() {
  const calls: GatheredCall[] = [];

  /** The call that a part belongs to. Null beyond the limit. */
  function callOf(part: CallPart): GatheredCall | null {
    const id = part.id ?? '';
    const index = part.index ?? null;
    const name = part.function?.name ?? '';
    const isOfIndex = (call: GatheredCall) => index === null || call.index === index;
    const last = calls.findLast(isOfIndex);
    const known = id === '' ? undefined : calls.findLast((call) => call.id === id && isOfIndex(call));
    // A few servers give each part an id of its own. Only the first part of a call has a name.
    const fits =
      name === '' || ((id === '' || last?.id === '') && (last?.name === '' || last?.name === name));
    const isOpen = last !== undefined && !isComplete(last) && fits;
    const continued = known ?? (isOpen || (id === '' && name === '') ? last : undefined);
    if (continued !== undefined) {
      continued.id ||= id;
      return continued;
    }
    if (calls.length >= callsAtMost) return null;
    const call = { id, index, name: '', arguments: '', own: {} };
    calls.push(call);
    return call;
  }

  return {
    add(parts: readonly CallPart[]) {
      for (const part of parts) {
        const call = callOf(part);
        if (call === null) continue;
        const given = part.function?.arguments ?? '';
        const text = typeof given === 'string' ? given : JSON.stringify(given);
        call.name ||= part.function?.name ?? '';
        call.arguments = (call.arguments + text).slice(0, argumentsAtMost);
        for (const [field, value] of Object.entries(part)) {
          if (!standardFields.has(field) && value != null) call.own[field] = value;
        }
      }
    },
    /** The calls in their order, each with an id of its own. */
    all(): Array<ToolCall & { own: Record<string, unknown> }> {
      const ids = new Set<string>();
      return calls
        .filter(({ name }) => name !== '')
        .map(({ id, name, arguments: given, own }, nth) => {
          const unique = id === '' || ids.has(id) ? `call_${nth}` : id;
          ids.add(unique);
          return { id: unique, name, arguments: given, own };
        });
    },
  };
}

function isComplete(call: ToolCall): boolean {
  return call.arguments.trim() !== '' && parseJson(call.arguments) !== undefined;
}
