import { z } from 'zod';
import type { EnvFragment } from './fragment.ts';
import { type EnvVariable, optional, secret, url } from './variable.ts';

/** A model server that agents name in `config.voice`. */
export interface VoiceEndpoint {
  /** In lower case: `VOICE_ENDPOINT_LOCAL_LLM_URL` defines the endpoint `local_llm`. */
  readonly name: string;
  /** The parent of `/chat/completions` and so on, without a trailing slash. */
  readonly url: string;
  readonly key: string | null;
  /** For agents that name no model. */
  readonly model: string | null;
}

export type VoiceEndpoints = ReadonlyMap<string, VoiceEndpoint>;

const endpointsAtMost = 50;
const settingPattern = /^VOICE_ENDPOINT_([A-Z][A-Z0-9_]{0,39})_(URL|KEY|MODEL)$/;

const address = url('http', 'https', 'ws', 'wss')
  .max(2_000, { error: 'must have at most 2000 characters' })
  .refine((text) => !hasCredentials(text), { error: 'must not contain a user or password' });
const key = secret(1).max(4_096, { error: 'must have at most 4096 characters' });
const model = z.string().max(200, { error: 'must have at most 200 characters' });

function hasCredentials(text: string): boolean {
  return URL.canParse(text) && (new URL(text).username !== '' || new URL(text).password !== '');
}

function documented(
  name: string,
  does: string,
  example: { url: string; model: string },
): Record<string, EnvVariable> {
  const prefix = `VOICE_ENDPOINT_${name.toUpperCase()}`;
  return {
    [`${prefix}_URL`]: optional(
      address,
      example.url,
      `The server that ${does}, with OpenAI's protocol: the endpoint ${name}, which agents use by default. Add others as VOICE_ENDPOINT_<NAME>_URL, _KEY and _MODEL.`,
    ),
    [`${prefix}_KEY`]: optional(key, 'the-key-of-the-server', `Its key, if the server requires one.`),
    [`${prefix}_MODEL`]: optional(model, example.model, `The model for agents that name none.`),
  };
}

const variables: Readonly<Record<string, EnvVariable>> = {
  ...documented('llm', 'writes what agents say', { url: 'https://api.openai.com/v1', model: 'gpt-4.1-mini' }),
  ...documented('stt', 'hears what people say', { url: 'http://127.0.0.1:8000/v1', model: 'whisper-1' }),
  ...documented('tts', 'speaks', { url: 'http://127.0.0.1:8880/v1', model: 'kokoro' }),
};

/** Model servers by name. Operators choose the names, so only the three default endpoints are listed as variables. */
export const voiceEndpointsEnv: EnvFragment<VoiceEndpoints> = {
  variables,
  furtherSecrets: /^VOICE_ENDPOINT_[A-Z0-9_]+_KEY$/,
  read(source, report) {
    let isFaulty = false;
    const fault = (variable: string, message: string) => {
      isFaulty = true;
      report(variable, message);
    };
    const found = new Map<string, { url?: string; key?: string; model?: string }>();
    for (const [variable, raw] of Object.entries(source)) {
      const [, name, setting] = settingPattern.exec(variable) ?? [];
      const text = raw?.trim() ?? '';
      if (name === undefined || text === '') continue;
      const read = readSetting(setting, text);
      if ('fault' in read) fault(variable, read.fault);
      found.set(name, { ...found.get(name), ...('fault' in read ? {} : read) });
    }
    const endpoints = new Map<string, VoiceEndpoint>();
    for (const [upper, settings] of found) {
      if (settings.url === undefined) {
        if (!isFaulty) fault(`VOICE_ENDPOINT_${upper}_URL`, 'is not set, and its key or model is');
        continue;
      }
      const name = upper.toLowerCase();
      endpoints.set(name, {
        name,
        url: settings.url,
        key: settings.key ?? null,
        model: settings.model ?? null,
      });
    }
    if (endpoints.size > endpointsAtMost) {
      fault('VOICE_ENDPOINT_<NAME>_URL', `names more than ${endpointsAtMost} endpoints`);
    }
    return isFaulty ? undefined : endpoints;
  },
};

function readSetting(
  setting: string | undefined,
  text: string,
): { url: string } | { key: string } | { model: string } | { fault: string } {
  const schema = setting === 'URL' ? address : setting === 'KEY' ? key : model;
  const read = schema.safeParse(text);
  if (!read.success) return { fault: read.error.issues.map((issue) => issue.message).join('; ') };
  if (setting === 'URL') return { url: baseOf(read.data) };
  return setting === 'KEY' ? { key: read.data } : { model: read.data };
}

/** Servers with this protocol usually serve it below `/v1`, so that is the default path. */
function baseOf(text: string): string {
  const { href, pathname } = new URL(text);
  return pathname === '/' ? `${href.replace(/\/+$/, '')}/v1` : href.replace(/\/+$/, '');
}
