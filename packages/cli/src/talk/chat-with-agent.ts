import { createInterface } from 'node:readline';
import { type Conversation, type ConversationStep, ModelFailedError } from '@outdial/voice';
import type { CliContext } from '../cli-context.ts';
import { CliError } from '../cli-error.ts';
import { inOrganization } from '../in-organization.ts';
import { environmentOf } from '../open-database.ts';
import { openTalk } from './open-talk.ts';

export interface ChatOptions {
  json?: boolean;
  org?: string;
  param?: Record<string, string>;
}

export async function chatWithAgent(context: CliContext, options: ChatOptions, named: string): Promise<void> {
  await inOrganization(context, options, async (db, organizationId) => {
    const talk = await openTalk(db, { organizationId, named, env: environmentOf(context) });
    try {
      const { conversation } = await talk.open({
        promptParams: options.param ?? {},
        note: (note) => show(context, options, { kind: 'note', ...note }, `  (${JSON.stringify(note)})`),
      });
      await chat(conversation, context, options);
    } finally {
      await talk.close();
    }
  });
}

async function chat(conversation: Conversation, context: CliContext, options: ChatOptions): Promise<void> {
  const greeting = await conversation.greeting();
  if (greeting !== null) showStep(context, options, { kind: 'say', text: greeting });
  const lines = createInterface({ input: context.in, crlfDelay: Infinity });
  try {
    for await (const line of lines) {
      if (line.trim() === '') continue;
      if (await answered(conversation, line, { context, options })) break;
    }
  } finally {
    lines.close();
  }
  const wrapUp = await conversation.wrapUp(AbortSignal.timeout(60_000));
  if (wrapUp.extract === null && wrapUp.summary === null) return;
  const text = [
    ...(wrapUp.summary === null ? [] : [`summary: ${wrapUp.summary}`]),
    ...(wrapUp.extract === null ? [] : [`extract: ${JSON.stringify(wrapUp.extract)}`]),
  ];
  show(context, options, { kind: 'wrap_up', ...wrapUp }, text.join('\n'));
}

/** True if the conversation is over. */
async function answered(
  conversation: Conversation,
  line: string,
  { context, options }: { context: CliContext; options: ChatOptions },
): Promise<boolean> {
  try {
    for await (const step of conversation.reply(line, new AbortController().signal)) {
      showStep(context, options, step);
      if (step.kind === 'end_call' || step.kind === 'transfer') return true;
    }
    return false;
  } catch (error) {
    if (error instanceof ModelFailedError) throw new CliError(error.code, error.message);
    throw error;
  }
}

function showStep(context: CliContext, options: ChatOptions, step: ConversationStep): void {
  show(context, options, step, step.kind === 'say' ? step.text : `  (${textOf(step)})`);
}

function textOf(step: Exclude<ConversationStep, { kind: 'say' }>): string {
  switch (step.kind) {
    case 'working':
      return `uses ${step.tool}`;
    case 'end_call':
      return `hangs up: ${step.reason}`;
    case 'transfer':
      return `transfers the call to ${step.to}, ${step.mode}`;
    case 'send_dtmf':
      return `presses ${step.digits}`;
  }
}

function show(context: CliContext, { json }: ChatOptions, value: object, text: string): void {
  context.out.write(`${json === true ? JSON.stringify(value) : text}\n`);
}
