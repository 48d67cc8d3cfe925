import type { Conversation, ConversationStep, PreparedReply } from '../conversation/conversation.ts';
import { isSameSpeech } from '../turn/words.ts';

/** At most one reply to what the person seems to have said, which is begun before their turn is over. */
export function createReplyAhead(conversation: Pick<Conversation, 'prepare' | 'reply'>) {
  let prepared: { text: string; reply: PreparedReply } | null = null;

  function discard(): void {
    prepared?.reply.discard();
    prepared = null;
  }

  return {
    begin(text: string) {
      discard();
      const reply = conversation.prepare?.(text);
      if (reply !== undefined) prepared = { text, reply };
    },
    discard,
    /** The reply to these words, which was perhaps begun before. */
    replyTo(heard: string, signal: AbortSignal): AsyncIterable<ConversationStep> {
      if (prepared === null || !isSameSpeech(prepared.text, heard)) {
        discard();
        return conversation.reply(heard, signal);
      }
      const { reply } = prepared;
      prepared = null;
      return reply.steps(signal);
    },
  };
}
