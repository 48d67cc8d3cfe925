import type { z } from 'zod';
import { nearestName } from '../http/nearest-name.ts';
import { agentVoice, endpointsOf, type AgentVoice } from './agent-voice.ts';

/** What is wrong with an agent's `config.voice`, by the way to it from `config`. */
export interface VoiceFault {
  path: PropertyKey[];
  message: string;
}

export type VoiceReading =
  /** Another runtime talks for this agent, or none does. */
  { kind: 'none' } | { kind: 'voice'; voice: AgentVoice } | { kind: 'faulty'; faults: VoiceFault[] };

/** What tells a voice of ours from words that another runtime understands: `voice: alto`, `voice: {id: …}`. */
const marks = ['mode', 'llm', 'stt', 'tts'];

export function isOwnVoice(voice: unknown): boolean {
  return typeof voice === 'object' && voice !== null && marks.some((mark) => Object.hasOwn(voice, mark));
}

/**
 * Reads how an agent talks, when it is written and again when a call begins.
 * @param options `byText`: only the language model is needed
 * @param endpoints the names that the environment gives; null where this process cannot know them, and nothing is said of names
 */
export function readAgentVoice(
  config: Readonly<Record<string, unknown>>,
  endpoints: ReadonlySet<string> | null,
  options: { byText?: boolean } = {},
): VoiceReading {
  const { voice } = config;
  if (!isOwnVoice(voice)) return { kind: 'none' };
  const read = agentVoice.safeParse(voice);
  if (!read.success) return { kind: 'faulty', faults: read.error.issues.flatMap(faultsOf) };
  const faults = endpoints === null ? [] : unknownEndpoints(read.data, endpoints, options);
  return faults.length > 0 ? { kind: 'faulty', faults } : { kind: 'voice', voice: read.data };
}

function faultsOf(issue: z.core.$ZodIssue): VoiceFault[] {
  const at = ['voice', ...issue.path];
  if (issue.code !== 'unrecognized_keys') return [{ path: at, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...at, key], message: 'is not known' }));
}

function unknownEndpoints(
  voice: AgentVoice,
  known: ReadonlySet<string>,
  options: { byText?: boolean },
): VoiceFault[] {
  return endpointsOf(voice, options)
    .filter(({ name }) => !known.has(name))
    .map(({ path, name }) => {
      const nearest = nearestName(name, [...known]);
      const hint = nearest === null ? '' : `; did you mean \`${nearest}\`?`;
      const variable = `VOICE_ENDPOINT_${name.toUpperCase()}_URL`;
      return {
        path: ['voice', ...path],
        message: `the endpoint \`${name}\` is not there: ${variable} is not set${hint}`,
      };
    });
}
