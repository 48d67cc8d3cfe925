import { roles, type OutdialClient } from '@outdial/client';
import { z } from 'zod';

export type Role = (typeof roles)[number];

const ranks: Readonly<Record<Role, number>> = { viewer: 0, member: 1, manager: 2, admin: 3 };

/** The argument of a tool: the API, with the caller's credential. */
export interface ToolContext {
  client: OutdialClient;
  signal: AbortSignal;
  /**
   * Has the host ask its person, past the assistant (elicitation). Resolves with the signal for what follows, or with null if the person declined or
   * did not answer. Null where the host cannot ask.
   */
  askPerson: ((question: string) => Promise<AbortSignal | null>) | null;
  /** People are called only after a person was asked. */
  requirePerson: boolean;
}

/** A tool. `needs` is null if it only reads; otherwise the lowest role that may use it. */
export interface Tool {
  name: string;
  title: string;
  description: string;
  needs: Role | null;
  /** Deletes something or calls people, so a client should ask first. */
  isDestructive: boolean;
  input: z.ZodObject;
  run(input: unknown, context: ToolContext): Promise<unknown>;
}

/** Declares a tool. Hides the type of its input, so that all tools fit in one list. */
export function defineTool<Input extends z.ZodObject>(tool: {
  name: string;
  title: string;
  description: string;
  needs?: Role;
  isDestructive?: boolean;
  input: Input;
  run(input: z.output<Input>, context: ToolContext): Promise<unknown>;
}): Tool {
  return {
    ...tool,
    needs: tool.needs ?? null,
    isDestructive: tool.isDestructive ?? false,
    run: (input, context) => tool.run(tool.input.parse(input), context),
  };
}

/** The tools that a role may use. */
export function offered(
  tools: readonly Tool[],
  { role, allowWrites }: { role: Role; allowWrites: boolean },
): Tool[] {
  return tools.filter((tool) => tool.needs === null || (allowWrites && ranks[role] >= ranks[tool.needs]));
}

export const roleSchema = z.enum(roles);
