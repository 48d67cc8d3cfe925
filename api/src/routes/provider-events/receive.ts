import { uuid } from '@outdial/contracts';
import { NotFoundError } from '@outdial/core';
import { findCallProvider } from '@outdial/db';
import { createProgressRecorder, hangUpCall, enqueueChecks, isOnlyAccepted } from '@outdial/engine';
import { dialingMetrics } from '@outdial/service';
import express, { type Request, type Router } from 'express';
import type { ApiDeps } from '../../deps.ts';
import { EventSignatureError, malformedEvent, defaultCallTimes, singleHeaders } from './errors.ts';
import { createCallReceiver } from './receive-call.ts';
import { UnsignedBodies } from './unsigned-bodies.ts';

interface Answer {
  status: 'recorded' | 'ignored';
}

/**
 * `POST /provider-events/{provider}`: events from providers. Not part of the public API, and without a credential: the provider's adapter
 * checks the signature before anything else is read or looked up.
 *
 * Answers 2xx after the commit. A provider that gets another answer, or none, sends the event again; a repeated event counts once.
 */
export function providerEvents(deps: ApiDeps): Router {
  const progress = createProgressRecorder({
    db: deps.db,
    publisher: deps.publisher,
    log: deps.log,
    settings: deps.config.callTimes ?? defaultCallTimes,
    metrics: dialingMetrics(deps.metrics),
  });

  const bodies = new UnsignedBodies({ log: deps.log });

  async function receive(req: Request): Promise<Answer> {
    const name = String(req.params['provider']);
    const provider = deps.providers.get(name);
    if (provider?.readEvent === undefined) {
      throw new NotFoundError('There is no provider with this name that sends events');
    }
    const body = await bodies.read(req, provider);
    const reading = provider.readEvent({
      url: `${deps.config.publicUrl ?? ''}${req.originalUrl}`,
      headers: singleHeaders(req),
      body,
    });
    switch (reading.kind) {
      case 'unauthenticated':
        deps.log.warn(
          { provider: name, reason: reading.reason },
          'refused an event: its signature is invalid',
        );
        throw new EventSignatureError();
      case 'malformed':
        throw malformedEvent(reading.faults);
      case 'ignored':
        deps.log.info({ provider: name, reason: reading.reason }, 'an event was ignored');
        return { status: 'ignored' };
      case 'fact': {
        const { callId, fact, conversationId } = reading;
        if (!(await carries(name, callId))) throw new NotFoundError('There is no such call');
        await progress.record({
          callId,
          facts: [fact],
          ...(conversationId && {
            accepted: { conversationId, isQueued: isOnlyAccepted(provider) },
          }),
        });
        if (reading.hangUp) await hangUpCall(deps, callId);
        return { status: 'recorded' };
      }
      case 'accepted': {
        const { callId, conversationId } = reading;
        // The attempt was undone after its withdrawal at the provider, so this event is neither an error nor news.
        if (!(await carries(name, callId))) {
          deps.log.info({ provider: name, call_id: callId }, 'an event of a call that is gone was ignored');
          return { status: 'ignored' };
        }
        await progress.record({ callId, facts: [], accepted: { conversationId, isQueued: true } });
        if (reading.lookUp) await enqueueChecks(deps, [callId]);
        return { status: 'recorded' };
      }
      default:
        return reading satisfies never;
    }
  }

  /** A call of another provider is treated as unknown. */
  async function carries(name: string, callId: string): Promise<boolean> {
    return uuid.safeParse(callId).success && (await findCallProvider(deps.db, callId)) === name;
  }

  const router = express.Router({ caseSensitive: true });
  // Express 5 handles rejected promises; the lint rule only knows older versions.
  // eslint-disable-next-line oxc/no-async-endpoint-handlers
  router.post('/provider-events/:provider', async (req, res) => {
    res.set('Cache-Control', 'no-store').json(await receive(req));
  });
  router.post('/provider-events/:provider/inbound', createCallReceiver(deps, { progress, bodies }));
  return router;
}
