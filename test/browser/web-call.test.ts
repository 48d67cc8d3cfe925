import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { conversationOf, voiceProcessToBeKnown } from '../integration/voice/call-records.ts';
import { knowledgeSkill } from '../integration/voice/knowledge-skill.ts';
import { recordingOf } from '../integration/voice/recording-of.ts';
import { allAt, openTalkingProcess, voiceSecret } from '../integration/voice/talking-process.ts';
import { libraryInstants, libraryMicrophone } from '../support/browser/library-microphone.ts';
import { lineOf } from '../support/browser/page-line.ts';
import { isLongRun } from '../support/full-run.ts';
import { hasChromium, useConsole } from '../support/browser/use-console.ts';
import { waitFor } from '../support/stack/wait-for.ts';
import { findSpeech } from '../support/voice/find-speech.ts';
import {
  libraryAfterwards,
  libraryCall,
  libraryLines,
  libraryPhrases,
  libraryVoice,
} from '../support/voice/library-call.ts';
import {
  expectLibraryRecord,
  expectLibraryRecording,
  expectLibrarySound,
} from '../support/voice/library-checks.ts';
import { startLibraryRealtime } from '../support/voice/library-realtime.ts';
import { startModelServers } from '../support/voice/model-servers.ts';
import { startPageExample } from '../support/voice/page-example.ts';
import { startToneModels } from '../support/voice/tone-models.ts';
import { makeTalkingAgent } from '../support/voice/talking-agent.ts';

const speech = hasChromium ? await findSpeech() : null;
if (speech?.state === 'missing' && process.env['OUTDIAL_REQUIRE_ASTERISK'] === '1') {
  throw new Error(speech.reason);
}
const calls = z.object({
  data: z.object({
    items: z.array(z.looseObject({ id: z.string(), meta: z.record(z.string(), z.unknown()) })),
  }),
});
const folder = await mkdtemp(join(tmpdir(), 'outdial-microphone-'));
afterAll(() => rm(folder, { recursive: true }));

const world = useConsole({
  browserArgs: async () =>
    speech?.state === 'found' ? libraryMicrophone(speech.program, join(folder, 'microphone.wav')) : [],
  api: { callTokenSecret: voiceSecret },
});

describe.skipIf(speech?.state !== 'found')('a test call in the console passes the whole library call', () => {
  const programs = () => {
    if (speech?.state !== 'found') throw new Error('this machine has no programs that speak and hear');
    return speech.program;
  };

  /**
   * Has the same conversation as the other calls to the library, through the microphone and loudspeaker of a page under the console’s content
   * security policy.
   */
  async function expectLibraryCall(
    endpoints: Record<string, string>,
    { mode, picture }: { mode: Record<string, unknown>; picture: string },
  ): Promise<void> {
    const { stack, organization } = world;
    const voice = await openTalkingProcess(stack, endpoints);
    onTestFinished(() => voice.close());
    const agentId = await makeTalkingAgent(stack.db, {
      organizationId: organization.id,
      voice: { ...libraryVoice, ...mode, record: true },
      skills: [
        await knowledgeSkill(stack, organization, libraryCall.knowledge),
        { type: 'end_call', config: {} },
      ],
    });
    await voiceProcessToBeKnown(stack.db);

    const page = await world.signedIn('desktop', 'member');
    await page.goto(`/console/agents/${agentId}`);
    const connection = lineOf(page);
    await page.getByRole('button', { name: 'Start talking' }).click();
    const said = page.getByRole('list', { name: 'Transcript' });
    await said.getByText(libraryCall.greeting).waitFor();
    await said.getByText(libraryCall.question).waitFor();
    await said.getByText('It costs two euros.').waitFor();
    await said.getByText('Thank you, goodbye.').waitFor();
    await page.getByRole('link', { name: 'Open the call' }).waitFor();
    const line = await connection;
    await world.inspect(page, picture);

    const call = await endedCallOf(agentId);
    expect(call).toMatchObject({ provider: 'web', status: 'finish', external_last_status: 'agent_ended' });
    const instants = libraryInstants(line);
    await expectLibrarySound(line, instants, programs());
    expectLibraryRecord(await conversationOf(organization, call.id));
    const recording = await recordingOf(stack, organization, call.id);
    await expectLibraryRecording(recording, line, instants, programs());
  }

  test('with a recognizer, a chat model and a synthesizer', async () => {
    const models = await startModelServers(programs(), {
      phrases: libraryPhrases,
      answer: libraryLines,
      afterwards: libraryAfterwards,
    });
    onTestFinished(() => models.close());
    await expectLibraryCall(allAt(models), { mode: { mode: 'cascade' }, picture: '30-talk' });
    // The machine may hold up the sound for a moment, which the detector may take for a phrase without words.
    const heard = models.heard().filter((words) => words !== '');
    expect(heard).toEqual([libraryCall.question, libraryCall.interruption, libraryCall.goodbye]);
  });

  // test/integration/voice/realtime.test.ts has a shorter conversation.
  test.runIf(isLongRun)('with a realtime model', async () => {
    const model = await startLibraryRealtime(programs());
    const mode = { mode: 'realtime', tts: { voice: 'marin' } };
    await expectLibraryCall({ llm: model.url }, { mode, picture: '31-talk-realtime' });
    expect(model.faults()).toEqual([]);
  });
});

describe.skipIf(speech?.state !== 'found')('the page of the example', () => {
  test('talks through the microphone of a visitor, and hangs up', async () => {
    const { stack, organization } = world;
    const agentId = await agentThatGreets();
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
    expect(await endedCallOf(agentId)).toMatchObject({
      provider: 'web',
      external_last_status: 'person_left',
    });
  });
});

/** An agent, and a voice process that takes its calls. */
async function agentThatGreets(): Promise<string> {
  const { stack, organization } = world;
  const voice = await openTalkingProcess(stack, allAt(await startToneModels({ hears: [] })));
  onTestFinished(() => voice.close());
  await voiceProcessToBeKnown(stack.db);
  return makeTalkingAgent(stack.db, {
    organizationId: organization.id,
    voice: { greeting: 'Hello, this is Ada.' },
    skills: [],
  });
}

describe.skipIf(speech?.state !== 'found')('a test call in the console', () => {
  test('ends if the user leaves the screen while it connects', async () => {
    const agentId = await agentThatGreets();
    const page = await world.signedIn('desktop', 'member');
    const [asked, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await page.route('**/web-call', async (route) => {
      asked.resolve();
      await left.promise;
      await route.continue();
    });
    await page.goto(`/console/agents/${agentId}`);
    await page.getByRole('button', { name: 'Start talking' }).click();
    await asked.promise;
    await page.getByRole('link', { name: 'Documents' }).click();
    await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor();
    const answered = page.waitForResponse('**/web-call');
    left.resolve();
    await answered;
    expect(await endedCallOf(agentId)).toMatchObject({ external_last_status: 'person_left' });
  });
});

/** The agent's only call, once it is over. */
async function endedCallOf(agentId: string): Promise<{ id: string }> {
  const [call, ...others] = await waitFor('the call to be over', async () => {
    const response = await fetch(`${world.stack.baseUrl}/api/v1/calls?agent_id=${agentId}`, {
      headers: { 'x-api-key': world.organization.apiKeys.viewer },
    });
    const { items } = calls.parse(await response.json()).data;
    return items.every(({ meta }) => meta['outcome'] !== undefined) && items;
  });
  if (call === undefined || others.length > 0) throw new Error('the agent had no call, or several');
  return call;
}
