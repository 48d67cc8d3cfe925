import type { ChatMessage, LanguageModel } from '../language-model/index.ts';
import type { CallerLine, Scenario } from './scenario.ts';

/** Decides the next line of the simulated person. */
export interface Caller {
  /** The lines do not depend on what the agent says. */
  isScripted: boolean;
  /** @param agentSaid the agent's words since the last line. Returns null to hang up */
  next(agentSaid: string): Promise<CallerLine | null>;
}

/** @param modelOf returns the model at an endpoint, to play the person */
export function callerOf(caller: Scenario['caller'], modelOf: (endpoint: string) => LanguageModel): Caller {
  if (Array.isArray(caller)) {
    const lines = [...caller];
    return { isScripted: true, next: () => Promise.resolve(lines.shift() ?? null) };
  }
  return playedCaller(modelOf(caller.endpoint), caller);
}

const hangsUp = 'HANG UP';

function playedCaller(model: LanguageModel, role: { prompt: string; turns_at_most: number }): Caller {
  const messages: ChatMessage[] = [
    {
      role: 'system',
      content: `You play a person who is called on the telephone. ${role.prompt}\nAnswer with what the person says, one or two spoken sentences. When the person would hang up, answer ${hangsUp}.`,
    },
  ];
  let turns = 0;
  return {
    isScripted: false,
    async next(agentSaid) {
      turns += 1;
      if (turns > role.turns_at_most) return null;
      messages.push({
        role: 'user',
        content: agentSaid === '' ? '(The telephone rings; you pick it up.)' : agentSaid,
      });
      let text = '';
      const request = { messages, tools: [], maxTokens: 200 };
      for await (const part of model.answer(request, AbortSignal.timeout(60_000))) {
        if (part.kind === 'text') text += part.text;
      }
      messages.push({ role: 'assistant', content: text });
      const words = text.replaceAll(hangsUp, '').trim();
      return words === '' || text.trim().startsWith(hangsUp) ? null : { says: words.slice(0, 2_000) };
    },
  };
}
