import { readAgentVoice } from '@outdial/contracts';
import type { ApiConfig } from '../../deps.ts';
import { ValidationError } from '../../http/errors.ts';

/**
 * Checks that an agent only names known endpoints of models, if the api has a list of them.
 * @throws ValidationError that names the field
 */
export function requireEndpoints(
  config: Record<string, unknown> | undefined,
  { voiceEndpoints }: Pick<ApiConfig, 'voiceEndpoints'>,
): void {
  const voice = readAgentVoice(config ?? {}, voiceEndpoints ?? null);
  if (voice.kind !== 'faulty') return;
  throw new ValidationError(
    voice.faults.map(({ path, message }) => ({
      loc: ['body', 'config', ...path.map((step) => (typeof step === 'number' ? step : String(step)))],
      msg: message,
      type: 'value_error',
    })),
  );
}
