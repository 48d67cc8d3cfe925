import { DataDirectoryError } from './data-directory/errors.ts';
import { EmbeddedPostgresUnavailableError, PortTakenError } from './embedded-postgres/errors.ts';
import { ServerNotStartedError } from './child-supervisor/supervise-child.ts';
import { StartError } from './start-error.ts';

/** Why a start ended, in a line, and the exit status that goes with it. No stack: what we did not expect is named as such. */
export function describeFailure(error: unknown): { text: string; exitStatus: number } {
  if (error instanceof StartError) return { text: error.message, exitStatus: error.exitStatus };
  const isOurs =
    error instanceof DataDirectoryError ||
    error instanceof EmbeddedPostgresUnavailableError ||
    error instanceof PortTakenError ||
    error instanceof ServerNotStartedError;
  if (isOurs) return { text: error.message, exitStatus: 1 };
  const words = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { text: `Something unexpected happened: ${words.split('\n')[0]}`, exitStatus: 1 };
}
