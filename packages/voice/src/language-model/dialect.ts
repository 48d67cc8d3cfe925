import type { VoiceEndpoint } from '@outdial/runtime';

/** What a server accepts, learned from its refusals. */
export interface Dialect {
  /** OpenAI's newer models refuse `max_tokens`. Null: the server knows neither. */
  tokensField: 'max_tokens' | 'max_completion_tokens' | null;
  temperature: boolean;
  /** Whether the server reports the tokens of a streamed answer. */
  usage: boolean;
  answerFormat: boolean;
  /** Whether the server takes its own fields of earlier messages back. */
  ownFields: boolean;
  /** The server's prompt has opened the thoughts that an answer begins with. */
  thinksFirst: boolean;
}

const openAi: Dialect = {
  tokensField: 'max_tokens',
  temperature: true,
  usage: true,
  answerFormat: true,
  ownFields: true,
  thinksFirst: false,
};
/** Agents may name models of their own. */
const dialectsAtMost = 1_000;

export type Dialects = ReturnType<typeof createDialects>;

/** Remembers the dialects of endpoints, for all calls of a process. */
export function createDialects() {
  const dialects = new Map<string, Dialect>();
  return {
    of({ url, model }: Pick<VoiceEndpoint, 'url' | 'model'>): {
      read(): Dialect;
      learn(dialect: Dialect): void;
    } {
      const key = JSON.stringify([url, model]);
      return {
        read: () => dialects.get(key) ?? openAi,
        learn(dialect) {
          const [oldest] = dialects.keys();
          if (dialects.size >= dialectsAtMost && oldest !== undefined) dialects.delete(oldest);
          dialects.set(key, dialect);
        },
      };
    },
  };
}

/** The changes to a request that a refusal may ask for, with the words that name its cause. In the order in which they are tried if none is named. */
const changes: ReadonlyArray<{
  named: RegExp;
  /** Null if the request was without it already. */
  change: (dialect: Dialect, uses: RequestUses) => Partial<Dialect> | null;
}> = [
  {
    named: /response_format|json_schema/,
    change: ({ answerFormat }, uses) => (answerFormat && uses.answerFormat ? { answerFormat: false } : null),
  },
  { named: /stream_options|include_usage/, change: ({ usage }) => (usage ? { usage: false } : null) },
  {
    named: /reasoning|extra_content|extra_forbidden|thought|unsupported/,
    change: ({ ownFields }, uses) => (ownFields && uses.ownFields ? { ownFields: false } : null),
  },
  {
    named: /temperature/,
    change: ({ temperature }, uses) => (temperature && uses.temperature ? { temperature: false } : null),
  },
  {
    named: /max_(completion_)?tokens/,
    change({ tokensField }) {
      if (tokensField === null) return null;
      return { tokensField: tokensField === 'max_tokens' ? 'max_completion_tokens' : null };
    },
  },
];

export interface RequestUses {
  temperature: boolean;
  answerFormat: boolean;
  ownFields: boolean;
}

/**
 * The dialect to try after a refusal: without the parameter that it names, or else without the next one that servers refuse. Null if none is left.
 * @param refusal the body of the answer, in any form
 */
export function afterRefusal(dialect: Dialect, refusal: string, uses: RequestUses): Dialect | null {
  const named = changes.filter((each) => each.named.test(refusal.toLowerCase()));
  for (const { change } of [...named, ...changes]) {
    const changed = change(dialect, uses);
    if (changed !== null) return { ...dialect, ...changed };
  }
  return null;
}
