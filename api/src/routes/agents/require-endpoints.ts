import { readAgentVoice, type Warning } from '@outdial/contracts';
import type { ApiConfig } from '../../deps.ts';
import { ValidationError } from '../../http/errors.ts';

/**
 * Checks that an agent only names known endpoints of models, if the api has a list of them. Returns a warning for the recognizer or the voice if it is
 * not set yet: the agent can be saved and talk by text, and its calls wait.
 * @throws ValidationError that names the field
 */
export function requireEndpoints(
  config: Record<string, unknown> | undefined,
  { voiceEndpoints }: Pick<ApiConfig, 'voiceEndpoints'>,
): Warning[] {
  const voice = readAgentVoice(config ?? {}, voiceEndpoints ?? null, { toSave: true });
  if (voice.kind === 'none') return [];
  if (voice.kind === 'voice') {
    return voice.missing.map(({ path, message }) => ({
      code: 'voice_endpoint_unset',
      loc: locOf(path),
      msg: `${message}. Until then, calls of this agent wait`,
    }));
  }
  throw new ValidationError(
    voice.faults.map(({ path, message }) => ({
      loc: locOf(path),
      msg: message,
      type: 'value_error',
    })),
  );
}

function locOf(path: readonly PropertyKey[]): Array<string | number> {
  return ['body', 'config', ...path.map((step) => (typeof step === 'number' ? step : String(step)))];
}
