import { startWebCall, type WebCall, WebCallError, type WebCallTurn } from '@outdial/client/web-call';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Agent } from '../../data/agents.ts';
import { api, ok } from '../../data/api.ts';
import { useAction } from '../../ui/use-action.ts';
import { Button, Card, Fault } from '../../ui/basics.tsx';

/** Whether Outdial itself carries the agent's conversations. */
export function isTalker({ config }: Agent): boolean {
  const voice = config?.['voice'];
  return typeof voice === 'object' && voice !== null && 'mode' in voice;
}

export function Talk({ agentId }: { agentId: string }) {
  const [callId, setCallId] = useState<string | null>(null);
  const [turns, setTurns] = useState<readonly WebCallTurn[]>([]);
  const [isTalking, setTalking] = useState(false);
  const call = useRef<WebCall | null>(null);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
      call.current?.hangUp();
    },
    [],
  );

  const start = useAction(async () => {
    setTurns([]);
    const policy = watchPolicy();
    try {
      call.current = await startWebCall({
        workletUrl: workletUrl(),
        async connect() {
          const { data } = await ok(
            api.POST('/api/v1/agents/{agent_id}/web-call', {
              params: { path: { agent_id: agentId } },
              body: { meta: { purpose: 'test call' } },
            }),
          );
          setCallId(data.call_id);
          return data;
        },
        onTurn: (turn) => setTurns((before) => [...before, turn]),
        onEnd() {
          call.current = null;
          setTalking(false);
        },
      });
      // Connecting takes seconds, in which the user may have left this screen.
      if (isGone.current) call.current.hangUp();
      else setTalking(true);
    } catch (error) {
      if (error instanceof WebCallError && policy.wasBroken()) {
        throw new Error('This page was loaded before the voice service started. Reload it and try again.', {
          cause: error,
        });
      }
      throw error;
    } finally {
      policy.stop();
    }
  });

  return (
    <Card title="Talk to this agent">
      <div class="form">
        <p class="hint">
          A test call through your microphone, with the saved prompt and settings. It appears in the list of
          calls like any other call.
        </p>
        <div>
          {isTalking ? (
            <Button icon="stop" onClick={() => call.current?.hangUp()}>
              Hang up
            </Button>
          ) : (
            <Button icon="agents" busy={start.busy} onClick={() => start.run()}>
              Start talking
            </Button>
          )}
        </div>
        <Fault text={start.fault} />
        {isTalking && turns.length === 0 && (
          <p role="status">Connected. The agent greets you, or waits for you to speak.</p>
        )}
        {turns.length > 0 && (
          <ol class="transcript" tabIndex={0} aria-label="Transcript" aria-live="polite">
            {turns.map(({ role, text, interrupted }, at) => (
              <li key={at}>
                <span class="speaker">{role === 'agent' ? 'Agent' : 'You'}</span>
                <span>
                  {text}
                  {interrupted && <span class="muted"> (interrupted)</span>}
                </span>
              </li>
            ))}
          </ol>
        )}
        {!isTalking && callId !== null && turns.length > 0 && (
          <p>
            <a href={`/console/calls/${callId}`}>Open the call</a>
          </p>
        )}
      </div>
    </Card>
  );
}

function workletUrl(): string {
  return document.querySelector('meta[name="web-call-worklet"]')?.getAttribute('content') ?? '';
}

/** The page's policy only allows the voice processes that existed when it was loaded. */
function watchPolicy(): { wasBroken: () => boolean; stop: () => void } {
  let broken = false;
  const note = () => {
    broken = true;
  };
  document.addEventListener('securitypolicyviolation', note);
  return {
    wasBroken: () => broken,
    stop: () => document.removeEventListener('securitypolicyviolation', note),
  };
}
