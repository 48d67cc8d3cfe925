import { envFragment } from './fragment.ts';
import { commaSeparated, flag, optional, secret, withDefault } from './variable.ts';

const host = /^(\*\.)?[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?(:\d{1,5})?$/;
const hostsAtMost = 200;

/** Null if tools may reach no host. */
export const voiceToolsEnv = envFragment(
  {
    VOICE_TOOL_HOSTS: optional(
      commaSeparated().refine(
        (hosts) => hosts.length <= hostsAtMost && hosts.every((each) => host.test(each)),
        { error: `must be at most ${hostsAtMost} hosts, in lower case, separated by commas` },
      ),
      'crm.example.com,*.acme.example',
      'Hosts that skills of type http_request may call, separated by commas: host, host:port or *.domain. Default: none.',
    ),
    VOICE_TOOL_SECRET: optional(
      secret(32).startsWith('whsec_', { error: 'must begin with whsec_' }),
      'whsec_a-secret-of-at-least-24-bytes-in-base64',
      'Signs these requests according to Standard Webhooks.',
    ),
    VOICE_TOOL_ALLOW_PRIVATE_TARGETS: withDefault(
      flag,
      'false',
      'true allows addresses that are not public, for services in your own network.',
    ),
  },
  (env, report) => {
    const hosts = env.VOICE_TOOL_HOSTS ?? [];
    if (hosts.length === 0) return null;
    if (env.VOICE_TOOL_SECRET === undefined) {
      report('VOICE_TOOL_SECRET', 'is not set, and VOICE_TOOL_HOSTS is');
      return null;
    }
    return {
      hosts,
      secret: env.VOICE_TOOL_SECRET,
      allowPrivateTargets: env.VOICE_TOOL_ALLOW_PRIVATE_TARGETS,
    };
  },
);
