import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { speechIn } from './find-speech.ts';

const model = 'usr/share/pocketsphinx/model/en-us/mdef';

/** A system with these programs. */
function systemWith(...paths: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), 'outdial-system-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), '#!/bin/sh\n', { mode: 0o755 });
  }
  return root;
}

test('programs are those that were unpacked, and otherwise those that are installed', () => {
  const unpacked = systemWith('usr/bin/espeak-ng', 'usr/bin/pocketsphinx_batch', model);
  const installed = systemWith('usr/bin/flite', 'usr/bin/espeak-ng');
  const found = speechIn([unpacked, installed]);
  expect([found?.flite.command, found?.espeak.command, found?.sphinx.model]).toEqual([
    join(installed, 'usr/bin/flite'),
    join(unpacked, 'usr/bin/espeak-ng'),
    join(unpacked, dirname(model)),
  ]);
});

test('where a program or the model is nowhere, there is no speech', () => {
  const installed = systemWith('usr/bin/flite', 'usr/bin/espeak-ng');
  const recognizer = systemWith('usr/bin/pocketsphinx_batch');
  expect(speechIn([installed])).toBeNull();
  expect(speechIn([installed, recognizer])).toBeNull();
  expect(speechIn([installed, recognizer, systemWith(model)])).not.toBeNull();
});
