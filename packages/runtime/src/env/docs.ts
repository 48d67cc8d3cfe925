import type { EnvFragment } from './fragment.ts';
import {
  authEnv,
  databaseEnv,
  engineEnv,
  healthEnv,
  httpEnv,
  logEnv,
  opsEnv,
  queueEnv,
} from './fragments.ts';
import { oidcEnv } from './oidc-fragment.ts';
import { tracingEnv } from './tracing-fragment.ts';
import { voiceEndpointsEnv } from './voice-endpoints-fragment.ts';
import { voiceToolsEnv } from './voice-tools-fragment.ts';
import { voiceEnv } from './voice-fragment.ts';
import { webhookEnv } from './webhook-fragment.ts';
import { extractionEnv, filesEnv, knowledgeTokenEnv, uploadEnv } from './knowledge-base-fragments.ts';

export interface EnvDoc {
  readonly name: string;
  readonly description: string;
  readonly defaultText: string | undefined;
  readonly exampleText: string | undefined;
  readonly required: boolean;
  readonly isSecret: boolean;
}

const sections = (
  telephony: EnvFragment<unknown> | undefined,
): ReadonlyArray<readonly [title: string, fragment: EnvFragment<unknown>]> => [
  ['Database', databaseEnv],
  ['Queues', queueEnv],
  ['The api', httpEnv],
  ['Bearer tokens', authEnv],
  ['Sign-in at the console', oidcEnv],
  ['Operators', opsEnv],
  ...(telephony === undefined ? [] : [['Telephony', telephony] as const]),
  ['Dialing', engineEnv],
  ['Files of knowledge bases', filesEnv],
  ['Limits of knowledge bases', uploadEnv],
  ['Reading of files', extractionEnv],
  ['Search during calls', knowledgeTokenEnv],
  ['Models of voice agents', voiceEndpointsEnv],
  ['Tools of voice agents', voiceToolsEnv],
  ['Voice processes', voiceEnv],
  ['Webhooks', webhookEnv],
  ['Health of scheduler and worker', healthEnv],
  ['Logs', logEnv],
  ['Traces', tracingEnv],
];

/**
 * Every variable once, by section.
 * @param telephony the variables of the adapters, which this package cannot import; without them by default
 */
export function describeEnv(
  telephony?: EnvFragment<unknown>,
): ReadonlyArray<{ readonly title: string; readonly variables: readonly EnvDoc[] }> {
  const seen = new Set<string>();
  return sections(telephony).map(([title, fragment]) => {
    const fresh = Object.entries(fragment.variables).filter(([name]) => !seen.has(name));
    const variables = fresh.map(([name, { description, defaultText, exampleText, required, isSecret }]) => {
      seen.add(name);
      return { name, description, defaultText, exampleText, required, isSecret: isSecret === true };
    });
    return { title, variables };
  });
}

export function renderEnvExample(telephony: EnvFragment<unknown>): string {
  const parts = describeEnv(telephony).map(({ title, variables }) => {
    return [`## ${title}`, ...variables.map(renderVariable)].join('\n\n');
  });
  const head = [
    '# Every variable of Outdial, with its default. An empty variable counts as not set.',
    '# To read the value of NAME from a file, set NAME_FILE to its path, as for secrets of Docker and Kubernetes.',
  ].join('\n');
  return `${[head, ...parts].join('\n\n')}\n`;
}

function renderVariable({ name, description, defaultText, exampleText, required }: EnvDoc): string {
  if (defaultText !== undefined) return `# ${description}\n${name}=${defaultText}`;
  if (required) return `# ${description} Required.\n${name}=${exampleText ?? ''}`;
  return `# ${description} For example ${exampleText ?? ''}\n${name}=`;
}
