import { type Agent, readAgentVoice, type Warning } from '@outdial/contracts';
import { type AgentRow, findCarrierInstructionRules, type Tx } from '@outdial/db';
import { judgeCarrierInstructions } from '@outdial/core';
import { ValidationError } from '../../http/errors.ts';
import type { ApiConfig } from '../../deps.ts';

export function agentView(row: AgentRow): Agent {
  const owner = { agent_id: row.id, organization_id: row.organization_id };
  return {
    id: row.id,
    name: row.name,
    organization: { name: row.organization_name },
    organization_id: row.organization_id,
    skills: row.skills.map((skill) => ({ ...skill, agent_id: row.id })),
    latest_prompt: row.prompt === null ? null : { ...row.prompt, ...owner },
    config: row.config,
  };
}

/**
 * Checks that the operator allows an agent's caller id, and what it has the carrier do with answered calls. The engine judges it again before each call.
 * @throws ValidationError that names the field
 */
export async function requireInstructions(
  tx: Tx,
  organizationId: string,
  config: Record<string, unknown> | undefined,
): Promise<void> {
  if (config === undefined) return;
  const refused = judgeCarrierInstructions(
    config,
    await findCarrierInstructionRules(tx, { organizationId, config }),
  );
  if (refused === null) return;
  throw new ValidationError([
    { loc: ['body', 'config', ...refused.path], msg: refused.message, type: 'value_error' },
  ]);
}

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
