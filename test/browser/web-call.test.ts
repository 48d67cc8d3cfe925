import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { addPrompt, addSkill, createAgent } from '@outdial/db';
import { wavFile } from '@outdial/voice/sound';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { allAt, openTalkingProcess, voiceSecret } from '../integration/voice/talking-process.ts';
import { hasChromium, useConsole } from '../support/browser/use-console.ts';
import { waitFor } from '../support/stack/wait-for.ts';
import { findSpeech } from '../support/voice/find-speech.ts';
import { startModelServers } from '../support/voice/model-servers.ts';
import { startPageExample } from '../support/voice/page-example.ts';
import { startToneModels } from '../support/voice/tone-models.ts';
import { personSays } from '../support/voice/speech.ts';

const speech = hasChromium ? await findSpeech() : null;
if (speech?.state === 'missing' && process.env['OUTDIAL_REQUIRE_ASTERISK'] === '1') {
  throw new Error(speech.reason);
}
const folder = await mkdtemp(join(tmpdir(), 'outdial-microphone-'));
afterAll(() => rm(folder, { recursive: true }));

const question = 'how long may i keep a book';
const lineRate = 8_000;
const silence = (seconds: number) => new Int16Array(seconds * lineRate);

/** What the microphone hears, again and again: a while for the greeting, a question, and a long silence. */
async function microphone(): Promise<readonly string[]> {
  if (speech?.state !== 'found') return [];
  const file = join(folder, 'microphone.wav');
  const said = await personSays(speech.program, question);
  const sound = Int16Array.from([...silence(8), ...said, ...silence(20)]);
  await writeFile(file, wavFile(sound, { rate: lineRate, channels: 1 }));
  return [
    '--use-fake-ui-for-media-stream',
    '--use-fake-device-for-media-stream',
    `--use-file-for-fake-audio-capture=${file}`,
  ];
}

const world = useConsole({ browserArgs: microphone, api: { callTokenSecret: voiceSecret } });

describe.skipIf(speech?.state !== 'found')('a test call in the console', () => {
  test('the agent is heard and hears what the microphone hears, under the console’s policy, and hangs up', async () => {
    if (speech?.state !== 'found') return;
    const { stack, organization } = world;
    const models = await startModelServers(speech.program, {
      phrases: [question, 'hello', 'goodbye'],
      answer: (words, results) =>
        results.length > 0
          ? { say: '' }
          : words.includes('book')
            ? { say: 'For three weeks. Goodbye.', tool: 'end_call', input: {} }
            : { say: 'Pardon?' },
    });
    onTestFinished(() => models.close());
    const voice = await openTalkingProcess(stack, allAt(models));
    onTestFinished(() => voice.close());
    const agentId = await createAgent(stack.db, {
      organizationId: organization.id,
      name: 'Ada',
      config: { voice: { mode: 'cascade', greeting: 'Hello, this is Ada.' } },
    });
    await addPrompt(stack.db, { organizationId: organization.id, agentId, level: 1, prompt: 'You are Ada.' });
    const skill = { type: 'end_call', execOrder: '1', enabled: true, config: {} };
    await addSkill(stack.db, { organizationId: organization.id, agentId, ...skill });
    await waitFor('the voice process to be known', () =>
      stack.db
        .selectFrom('voice_processes' as never)
        .selectAll()
        .executeTakeFirst(),
    );

    const page = await world.signedIn('desktop', 'member');
    page.setDefaultTimeout(60_000);
    await page.goto(`/console/agents/${agentId}`);
    await page.getByRole('button', { name: 'Start talking' }).click();
    const said = page.getByRole('list', { name: 'Transcript' });
    await said.getByText('Hello, this is Ada.').waitFor();
    await said.getByText(question).waitFor();
    await said.getByText('For three weeks. Goodbye.').waitFor();
    await page.getByRole('link', { name: 'Open the call' }).waitFor();
    await world.inspect(page, '30-talk');

    const { items } = await callsOf(agentId);
    expect(items).toEqual([
      expect.objectContaining({ provider: 'web', status: 'finish', external_last_status: 'agent_ended' }),
    ]);
    expect(items[0]?.transcript).toContain(`Person: ${question}`);
    await page.context().close();
  });
});

describe.skipIf(speech?.state !== 'found')('the page of the example', () => {
  test('talks through the microphone of a visitor, and hangs up', async () => {
    const { stack, organization } = world;
    const voice = await openTalkingProcess(stack, allAt(await startToneModels({ hears: [] })));
    onTestFinished(() => voice.close());
    const agentId = await createAgent(stack.db, {
      organizationId: organization.id,
      name: 'Ada',
      config: { voice: { mode: 'cascade', greeting: 'Hello, this is Ada.' } },
    });
    await addPrompt(stack.db, { organizationId: organization.id, agentId, level: 1, prompt: 'You are Ada.' });
    await waitFor('the voice process to be known', () =>
      stack.db
        .selectFrom('voice_processes' as never)
        .selectAll()
        .executeTakeFirst(),
    );
    const example = await startPageExample({
      OUTDIAL_URL: stack.baseUrl,
      OUTDIAL_API_KEY: organization.apiKeys.member,
      OUTDIAL_AGENT_ID: agentId,
    });
    onTestFinished(() => example.close());
    const page = await world.newPage('desktop', { origin: new URL(example.url).origin });
    await page.goto(example.url);
    await page.getByRole('button', { name: 'Talk', exact: true }).click();
    await page.getByText('Agent: Hello, this is Ada.').waitFor();
    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('You have hung up.').waitFor();
    const { items } = await callsOf(agentId);
    expect(items).toEqual([
      expect.objectContaining({ provider: 'web', external_last_status: 'person_left' }),
    ]);
    await page.context().close();
  });
});

async function callsOf(agentId: string) {
  const response = await fetch(`${world.stack.baseUrl}/api/v1/calls?agent_id=${agentId}`, {
    headers: { 'x-api-key': world.organization.apiKeys.viewer },
  });
  const { data } = (await response.json()) as {
    data: { items: Array<Record<string, unknown> & { transcript: string }> };
  };
  return data;
}
