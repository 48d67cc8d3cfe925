import { describe, expect, test } from 'vitest';
import { agentConfig } from './agent-config.ts';
import { readAgentVoice } from './read-agent-voice.ts';

const known = new Set(['llm', 'stt', 'tts', 'spare']);

const faultsOf = (voice: unknown, endpoints: ReadonlySet<string> | null = known) => {
  const read = readAgentVoice({ voice }, endpoints);
  return read.kind === 'faulty' ? read.faults.map(({ path, message }) => [path.join('.'), message]) : [];
};

describe('config.voice', () => {
  test('a mode suffices', () => {
    expect(readAgentVoice({ voice: { mode: 'cascade' } }, known)).toMatchObject({
      kind: 'voice',
      voice: {
        greeting: null,
        language: 'en',
        llm: { endpoint: 'llm', fallbacks: [], max_tokens: 400 },
        stt: { endpoint: 'stt' },
        tts: { endpoint: 'tts' },
        turn: { silence_ms: 400, pause_after_ms: 200, drop_after_ms: 600 },
        idle: { after_seconds: 8 },
        voicemail: { action: 'hang_up' },
        extract: { summary: true },
        record: false,
      },
    });
  });

  test.each(['calm', { id: 'alto' }, null, undefined, ['mode']])(
    '%j is the config of another runtime',
    (voice) => {
      expect(readAgentVoice({ voice }, known)).toEqual({ kind: 'none' });
      expect(agentConfig.safeParse({ voice, more: 1 }).success).toBe(true);
    },
  );

  test.each([
    [{ llm: {} }, 'voice.mode'],
    [{ mode: 'song' }, 'voice.mode'],
    [{ mode: 'relay', greting: 'Hello' }, 'voice.greting'],
    [{ mode: 'relay', greeting: ' ' }, 'voice.greeting'],
    [{ mode: 'relay', language: 'English please' }, 'voice.language'],
    [{ mode: 'relay', llm: { endpoint: 'LLM' } }, 'voice.llm.endpoint'],
    [{ mode: 'relay', llm: { max_tokens: 1_000_000 } }, 'voice.llm.max_tokens'],
    [{ mode: 'relay', llm: { fallbacks: ['a', 'b', 'c', 'd'] } }, 'voice.llm.fallbacks'],
    [{ mode: 'relay', turn: { silence_ms: 0 } }, 'voice.turn.silence_ms'],
    [{ mode: 'relay', turn: { pause_after_ms: 900 } }, 'voice.turn.drop_after_ms'],
    [{ mode: 'relay', idle: { prompts: Array(6).fill('Hello?') } }, 'voice.idle.prompts'],
    [{ mode: 'relay', voicemail: { action: 'leave_message' } }, 'voice.voicemail.message'],
    [{ mode: 'relay', extract: { schema: { type: 'array' } } }, 'voice.extract.schema.type'],
    [
      { mode: 'relay', extract: { schema: { type: 'object', properties: { a: { pattern: '(a+)+$' } } } } },
      'voice.extract.schema.properties.a.pattern',
    ],
    [{ mode: 'relay', extract: { schema: { type: 'object', $ref: '#' } } }, 'voice.extract.schema.$ref'],
  ])('%j is refused with the name of the field', (voice, field) => {
    expect(faultsOf(voice).map(([path]) => path)).toEqual([field]);
    expect(agentConfig.safeParse({ voice }).success).toBe(false);
  });

  test('the schema of an extract is bounded in depth and size', () => {
    let deep: object = { type: 'string' };
    for (let level = 0; level < 9; level++) deep = { type: 'object', properties: { a: deep } };
    expect(faultsOf({ mode: 'relay', extract: { schema: deep } })).toEqual([
      ['voice.extract.schema', 'must be at most 8 levels deep'],
    ]);
    const large = { type: 'object', enum: Array.from({ length: 100 }, () => 'x'.repeat(200)) };
    expect(faultsOf({ mode: 'relay', extract: { schema: large } })).toEqual([
      ['voice.extract.schema', 'must be at most 16384 bytes of JSON'],
    ]);
  });

  test('requires the endpoints of the mode', () => {
    expect(faultsOf({ mode: 'cascade', llm: { endpoint: 'lmm', fallbacks: ['spare', 'other'] } })).toEqual([
      [
        'voice.llm.endpoint',
        'the endpoint `lmm` does not exist: VOICE_ENDPOINT_LMM_URL is not set; did you mean `llm`?',
      ],
      ['voice.llm.fallbacks.1', 'the endpoint `other` does not exist: VOICE_ENDPOINT_OTHER_URL is not set'],
    ]);
    expect(faultsOf({ mode: 'relay' }, new Set(['llm']))).toEqual([]);
    expect(faultsOf({ mode: 'cascade' }, new Set(['llm'])).map(([path]) => path)).toEqual([
      'voice.stt.endpoint',
      'voice.tts.endpoint',
    ]);
    expect(faultsOf({ mode: 'cascade' }, null)).toEqual([]);
    const byText = readAgentVoice({ voice: { mode: 'cascade' } }, new Set(['llm']), { byText: true });
    expect(byText.kind).toBe('voice');
  });

  test('can be saved with the language model alone, and names what calls wait for', () => {
    const save = (voice: object) => readAgentVoice({ voice }, new Set(['llm']), { toSave: true });
    const read = save({ mode: 'cascade' });
    expect(read.kind === 'voice' && read.missing.map(({ path }) => path.join('.'))).toEqual([
      'voice.stt.endpoint',
      'voice.tts.endpoint',
    ]);
    // An endpoint that the agent names itself may be misspelt.
    expect(save({ mode: 'cascade', tts: { endpoint: 'kokoro' } })).toMatchObject({
      kind: 'faulty',
      faults: [{ path: ['voice', 'tts', 'endpoint'] }],
    });
  });

  test('requires endpoints that support the mode', () => {
    const known = new Map([
      ['llm', { url: 'wss://models.example.com/v1' }],
      ['stt', { url: 'http://127.0.0.1:8000/v1' }],
      ['tts', { url: 'http://127.0.0.1:8880/v1' }],
    ]);
    const faults = (mode: string, options = {}) => {
      const read = readAgentVoice({ voice: { mode } }, known, options);
      return read.kind === 'faulty' ? read.faults.map(({ path, message }) => [path.join('.'), message]) : [];
    };
    const fault = 'the endpoint `llm` has a WebSocket URL, which only `realtime` mode supports';
    expect(faults('cascade')).toEqual([['voice.llm.endpoint', fault]]);
    expect(faults('relay')).toEqual([['voice.llm.endpoint', fault]]);
    expect(faults('realtime')).toEqual([]);
    expect(faults('realtime', { byText: true })).toEqual([['voice.llm.endpoint', fault]]);
    known
      .set('llm', { url: 'http://127.0.0.1:8080/v1' })
      .set('stt', { url: 'wss://live.example.com/v1/listen' });
    expect(faults('cascade')).toEqual([]);
  });

  test('refuses settings that the mode does not support', () => {
    expect(faultsOf({ mode: 'realtime', tts: { speed: 2 } })).toEqual([
      ['voice.tts.speed', 'must be at most 1.5 in `realtime` mode'],
    ]);
    expect(faultsOf({ mode: 'relay', tts: { speed: 1.2 } })).toEqual([
      ['voice.tts.speed', 'cannot be set in `relay` mode: the carrier speaks'],
    ]);
    expect(faultsOf({ mode: 'cascade', tts: { speed: 2 } })).toEqual([]);
    const voicemail = { action: 'leave_message', message: 'Please call us back.' };
    expect(faultsOf({ mode: 'relay', voicemail })).toEqual([
      [
        'voice.voicemail.action',
        'must be `hang_up` in `relay` mode; the carrier does not report the beep of an answering machine',
      ],
    ]);
    expect(faultsOf({ mode: 'cascade', voicemail })).toEqual([]);
    expect(faultsOf({ mode: 'relay', voicemail: { action: 'hang_up' } })).toEqual([]);
    expect(faultsOf({ mode: 'telepathy' })[0]?.[0]).toBe('voice.mode');
  });
});
