import type { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import type { ToolContext } from './tool.ts';

/** How long a person may take to answer. */
const answerWithinMs = 10 * 60_000;

/**
 * How this host asks its person (elicitation of the Model Context Protocol, by a form): past the assistant, which cannot answer in their place. Null if
 * it has not declared that it can.
 * @param signalAfter the signal for what follows the answer
 */
export function askingOf(
  { server }: McpServer,
  signal: AbortSignal,
  signalAfter: () => AbortSignal,
): ToolContext['askPerson'] {
  const elicitation = server.getClientCapabilities()?.elicitation;
  // A host without modes asks by form. One that only opens pages cannot.
  const canAsk =
    elicitation?.form !== undefined || (elicitation !== undefined && elicitation.url === undefined);
  if (!canAsk) return null;
  return async (message) => {
    const answer = await server.elicitInput(
      {
        mode: 'form',
        message,
        requestedSchema: {
          type: 'object',
          properties: {
            call: { type: 'boolean', title: 'Call these people', description: 'Phones will ring.' },
          },
          required: ['call'],
        },
      },
      { signal, timeout: answerWithinMs },
    );
    return answer.action === 'accept' && answer.content?.['call'] === true ? signalAfter() : null;
  };
}
