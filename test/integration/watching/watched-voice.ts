import { createAgent, addPrompt } from '@outdial/db';
import { createMetrics } from '@outdial/runtime';
import { toMuLaw } from '@outdial/voice/sound';
import { voiceMetrics } from '@outdial/voice/voice-metrics';
import { onTestFinished } from 'vitest';
import { z } from 'zod';
import { anyBackend } from '../../support/queues.ts';
import { useStack } from '../../support/stack/use-stack.ts';
import { waitFor } from '../../support/stack/wait-for.ts';
import { voiceLike } from '../../support/voice/voice-like.ts';
import { startToneModels } from '../../support/voice/tone-models.ts';
import { allAt, openTalkingProcess, voiceSecret } from '../voice/talking-process.ts';
import { openPage, type Page } from '../voice/web-world.ts';
import { Scrapes } from './scrapes.ts';
import { served, withoutNode } from './watched-stack.ts';

const made = z.object({ data: z.object({ url: z.string(), token: z.string(), call_id: z.string() }) });
const frame = 160;
/** The number of consecutive failures after which an endpoint is skipped. */
export const voiceCapacity = 3;

const sum = (values: ReadonlyArray<{ value: number }>) => values.reduce((all, { value }) => all + value, 0);

/** A voice process with a small capacity, whose metrics are scraped, and agents that a page can talk to. */
export async function watchedVoice(models: Parameters<typeof startToneModels>[0]) {
  const metrics = createMetrics({ service: 'voice' });
  const stack = await useStack({ backend: anyBackend(), workers: 0, api: { callTokenSecret: voiceSecret } });
  stack.log.expect(/./);
  const voice = await openTalkingProcess(stack, allAt(await startToneModels(models)), {
    capacity: voiceCapacity,
    metrics: voiceMetrics(metrics),
  });
  onTestFinished(() => voice.close());
  await waitFor('the voice process to be known', () =>
    stack.db
      .selectFrom('voice_processes' as never)
      .selectAll()
      .executeTakeFirst(),
  );
  const organization = await stack.organization();
  const scrapes = new Scrapes();
  const targets = [withoutNode(await served('voice', metrics))];
  return {
    scrapes,
    calls: async () => sum((await metrics.voiceCalls.get()).values),
    /** The number of endpoints that it skips. */
    down: async () => sum((await metrics.voiceEndpointDown.get()).values),
    /** How often the model has begun to answer. */
    modelAnswers: async () => {
      const { values } = await metrics.voiceLatency.get();
      return sum(
        values.filter(
          ({ metricName, labels }) => metricName?.endsWith('_count') === true && labels.stage === 'model',
        ),
      );
    },
    scrape: () => scrapes.scrape(targets),
    /** A page in a conversation with an agent of this config. */
    async call(config: Record<string, unknown>): Promise<Page> {
      const agentId = await createAgent(stack.db, {
        organizationId: organization.id,
        name: 'Ada',
        config: { voice: { mode: 'cascade', ...config } },
      });
      const prompt = { organizationId: organization.id, agentId, level: 1, prompt: 'You are Ada.' };
      await addPrompt(stack.db, prompt);
      const response = await fetch(`${stack.baseUrl}/api/v1/agents/${agentId}/web-call`, {
        method: 'POST',
        headers: { 'x-api-key': organization.apiKeys.member },
      });
      return openPage(made.parse(await response.json()).data);
    },
    /** Audio that the detector takes for a voice, in real time. */
    async speak({ socket }: Page): Promise<void> {
      const bytes = toMuLaw(voiceLike(800));
      for (let at = 0; at + frame <= bytes.length; at += frame) {
        socket.send(bytes.subarray(at, at + frame));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    },
  };
}
