import type { NewSkill } from '@outdial/db';

export function skillFields({
  exec_order: execOrder,
  ...skill
}: {
  type: string;
  exec_order: string;
  enabled: boolean;
  config: Record<string, unknown>;
}): Omit<NewSkill, 'organizationId' | 'agentId'> {
  return { ...skill, execOrder };
}
