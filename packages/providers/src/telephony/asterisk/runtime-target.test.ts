import { expect, test } from 'vitest';
import { resolveTarget } from './runtime-target.ts';

const settings = {
  runtime: 'wss://voice.test/media',
  runtimeHosts: ['other.test:8443', '*.voices.test'],
  runtimeContexts: ['agents'],
  mediaFormat: 'ulaw',
};

test.each([
  [undefined, 'media'],
  ['talk@agents', 'dialplan'],
  ['+15551230000@agents', 'dialplan'],
  // A context that calls anybody, at the operator's cost.
  ['0019005550123@from-internal', 'runtime_context_not_allowed'],
  ['wss://voice.test/another', 'media'],
  ['wss://other.test:8443/', 'media'],
  ['ws://eu.voices.test/', 'media'],
  ['wss://other.test/', 'runtime_host_not_allowed'],
  ['wss://voices.test/', 'runtime_host_not_allowed'],
  ['ws://127.0.0.1/', 'runtime_host_not_allowed'],
  ['ws://169.254.169.254/latest', 'runtime_host_not_allowed'],
  ['wss://me:secret@voice.test/', 'runtime_not_understood'],
  ['https://voice.test/', 'runtime_not_understood'],
  ['talk@agents,1', 'runtime_not_understood'],
  ['', 'runtime_not_understood'],
])('%s → %s', (runtime, expected) => {
  const resolved = resolveTarget(runtime, settings);
  expect(resolved.kind === 'target' ? resolved.target.kind : resolved.reason).toBe(expected);
});

test('may be another extension in the context of the provider', () => {
  const own = { ...settings, runtime: '100@talk', runtimeContexts: [] };
  expect([undefined, '200@talk', '200@agents'].map((runtime) => resolveTarget(runtime, own).kind)).toEqual([
    'target',
    'target',
    'none',
  ]);
});

test('is missing if neither the agent nor the provider names a runtime', () => {
  expect(resolveTarget(undefined, { ...settings, runtime: null })).toEqual({
    kind: 'none',
    reason: 'no_runtime',
  });
});
