import type { z } from 'zod';
import { nearestName } from '../http/nearest-name.ts';
import { agentVoice, endpointsOf, type AgentVoice } from './agent-voice.ts';

/** The faults of an agent's `config.voice`, by their path from `config`. */
export interface VoiceFault {
  path: PropertyKey[];
  message: string;
}

export type VoiceReading =
  /** The agent has another voice runtime, or none. */
  | { kind: 'none' }
  /** `missing`: with `toSave`, what calls will wait for. */
  | { kind: 'voice'; voice: AgentVoice; missing: VoiceFault[] }
  | { kind: 'faulty'; faults: VoiceFault[] };

/** The endpoints of the environment by name. With their URLs, the check includes whether each one supports the mode. */
export type KnownEndpoints = ReadonlySet<string> | ReadonlyMap<string, { readonly url: string }>;

/** Distinguishes our `config.voice` from that of another runtime, such as `voice: alto` or `voice: {id: …}`. */
const marks = ['mode', 'llm', 'stt', 'tts'];

export function isOwnVoice(voice: unknown): boolean {
  return typeof voice === 'object' && voice !== null && marks.some((mark) => Object.hasOwn(voice, mark));
}

interface ReadOptions {
  /** Only the language model is needed. */
  byText?: boolean;
  /** The recognizer and the voice may be set later: an agent can be written, and talk by text, with the language model alone. */
  toSave?: boolean;
}

/**
 * Parses `config.voice`, both when it is saved and when a call begins.
 * @param endpoints null if this process does not know them; names are then not checked
 */
export function readAgentVoice(
  config: Readonly<Record<string, unknown>>,
  endpoints: KnownEndpoints | null,
  options: ReadOptions = {},
): VoiceReading {
  const { voice } = config;
  if (!isOwnVoice(voice)) return { kind: 'none' };
  const read = agentVoice.safeParse(voice);
  if (!read.success) return { kind: 'faulty', faults: read.error.issues.flatMap(faultsOf) };
  const found = endpoints === null ? [] : endpointFaults(read.data, endpoints, options);
  const { faults = [], missing = [] } = Object.groupBy(found, (fault) =>
    isLater(fault, options) ? 'missing' : 'faults',
  );
  return faults.length > 0 ? { kind: 'faulty', faults } : { kind: 'voice', voice: read.data, missing };
}

/** The names that an agent need not write: nobody can have misspelt them. */
const setLater = ['stt', 'tts'];

function isLater({ unset }: EndpointFault, { toSave = false }: ReadOptions): boolean {
  return toSave && unset !== undefined && setLater.includes(unset);
}

function faultsOf(issue: z.core.$ZodIssue): VoiceFault[] {
  const at = ['voice', ...issue.path];
  if (issue.code !== 'unrecognized_keys') return [{ path: at, message: issue.message }];
  return issue.keys.map((key) => ({ path: [...at, key], message: 'is unknown' }));
}

interface EndpointFault extends VoiceFault {
  /** The name of an endpoint that the environment does not have. */
  unset?: string;
}

function endpointFaults(voice: AgentVoice, known: KnownEndpoints, options: ReadOptions): EndpointFault[] {
  // The Realtime protocol also works with an http URL.
  const takesSockets = voice.mode === 'realtime' && options.byText !== true;
  return endpointsOf(voice, options).flatMap(({ path, name }) => {
    const at = ['voice', ...path];
    if (!known.has(name)) return [{ path: at, message: isMissing(name, known), unset: name }];
    const url = 'get' in known ? known.get(name)?.url : undefined;
    const isLiveRecognizer = path[0] === 'stt' && voice.mode === 'cascade' && options.byText !== true;
    if (takesSockets || isLiveRecognizer || url === undefined || !/^wss?:/.test(url)) return [];
    const message = `the endpoint \`${name}\` has a WebSocket URL, which only \`realtime\` mode supports`;
    return [{ path: at, message }];
  });
}

function isMissing(name: string, known: KnownEndpoints): string {
  const nearest = nearestName(name, [...known.keys()]);
  const hint = nearest === null ? '' : `; did you mean \`${nearest}\`?`;
  return `the endpoint \`${name}\` does not exist: VOICE_ENDPOINT_${name.toUpperCase()}_URL is not set${hint}`;
}
