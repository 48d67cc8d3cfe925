import { z } from 'zod';
import { machineDetection, onMachine, type AsteriskSettings } from './settings.ts';

/** The voice runtime to which an answered call is connected. */
export type RuntimeTarget =
  | { kind: 'dialplan'; context: string; extension: string }
  /** `token`: identifies the call to the voice process that the engine chose. */
  | { kind: 'media'; url: string; format: string; token?: string | undefined };

export type ResolvedTarget = { kind: 'target'; target: RuntimeTarget } | { kind: 'none'; reason: string };

const dialplanTarget = /^([A-Za-z0-9_*#+-]{1,80})@([A-Za-z0-9_-]{1,80})$/;

/** The fields of an agent's `config.telephony` that apply to Asterisk. Other fields belong to other adapters. */
const agentTelephony = z.object({
  runtime: z.string().max(2_000).optional(),
  caller_id_name: z.string().max(80).optional(),
  machine_detection: machineDetection.optional(),
  on_machine: onMachine.optional(),
  record: z.boolean().optional(),
});
export type AgentTelephony = z.output<typeof agentTelephony>;

/** Null if a field is invalid: no call is better than a call that goes to the wrong place. */
export function readAgentTelephony(config: Record<string, unknown>): AgentTelephony | null {
  const read = agentTelephony.safeParse(config['telephony'] ?? {});
  return read.success ? read.data : null;
}

/**
 * The agent's runtime, or else the provider's. If an agent names another one, the provider's row must allow its host, because Asterisk connects to it from
 * inside the operator's network, or its context, because another one of the dialplan may call anybody at the operator's cost.
 */
export function resolveTarget(
  agentRuntime: string | undefined,
  settings: Pick<AsteriskSettings, 'runtime' | 'runtimeHosts' | 'runtimeContexts' | 'mediaFormat'>,
): ResolvedTarget {
  const text = agentRuntime ?? settings.runtime;
  if (text === null) return { kind: 'none', reason: 'no_runtime' };
  const [, extension, context] = dialplanTarget.exec(text) ?? [];
  if (extension !== undefined && context !== undefined) {
    const [, , ownContext] = dialplanTarget.exec(settings.runtime ?? '') ?? [];
    if (context !== ownContext && !settings.runtimeContexts.includes(context)) {
      return { kind: 'none', reason: 'runtime_context_not_allowed' };
    }
    return { kind: 'target', target: { kind: 'dialplan', context, extension } };
  }
  const url = webSocketUrl(text);
  if (url === null) return { kind: 'none', reason: 'runtime_not_understood' };
  if (agentRuntime !== undefined && agentRuntime !== settings.runtime && !isAllowed(url, settings)) {
    return { kind: 'none', reason: 'runtime_host_not_allowed' };
  }
  return { kind: 'target', target: { kind: 'media', url: url.href, format: settings.mediaFormat } };
}

function webSocketUrl(text: string): URL | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isPlain = url.username === '' && url.password === '' && url.hash === '' && url.search === '';
  return (url.protocol === 'ws:' || url.protocol === 'wss:') && isPlain ? url : null;
}

function isAllowed(url: URL, { runtime, runtimeHosts }: Pick<AsteriskSettings, 'runtime' | 'runtimeHosts'>) {
  const host = url.host.toLowerCase();
  const own = runtime === null ? null : webSocketUrl(runtime);
  if (own?.host.toLowerCase() === host) return true;
  return runtimeHosts.some((allowed) =>
    allowed.startsWith('*.') ? host.endsWith(allowed.slice(1)) : host === allowed,
  );
}
