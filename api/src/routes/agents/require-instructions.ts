import { judgeCarrierInstructions } from '@outdial/core';
import { findCarrierInstructionRules, type Tx } from '@outdial/db';
import { ValidationError } from '../../http/errors.ts';

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
