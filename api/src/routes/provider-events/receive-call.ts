import { type InboundAnswer, NotFoundError } from '@outdial/core';
import { findInboundCall, findOwnerOfNumber } from '@outdial/db';
import { answerInboundCall, createMediaRuntimes, type ProgressRecorder } from '@outdial/engine';
import { createCallTokens } from '@outdial/runtime';
import { dialingMetrics } from '@outdial/service';
import type { Request, Response } from 'express';
import type { ApiDeps } from '../../deps.ts';
import { EventSignatureError, malformedEvent, defaultCallTimes, singleHeaders } from './errors.ts';
import type { UnsignedBodies } from './unsigned-bodies.ts';

/**
 * `POST /provider-events/{provider}/inbound`: a provider asks how to handle an inbound call, or reports its end. The provider's adapter
 * checks the signature before anything else is read or looked up.
 */
export function createCallReceiver(
  deps: ApiDeps,
  { progress, bodies }: { progress: ProgressRecorder; bodies: UnsignedBodies },
): (req: Request, res: Response) => Promise<void> {
  const settings = deps.config.callTimes ?? defaultCallTimes;
  const { callTokenSecret = null } = deps.config;
  const mediaRuntimes =
    callTokenSecret === null
      ? null
      : createMediaRuntimes({
          db: deps.db,
          tokens: createCallTokens(callTokenSecret),
          ringTimeoutSeconds: settings.ringTimeoutSeconds,
          log: deps.log,
        });
  const inbound = {
    ...deps,
    settings,
    metrics: dialingMetrics(deps.metrics),
    ...(mediaRuntimes !== null && { mediaRuntimes }),
  };

  return async (req, res) => {
    const name = String(req.params['provider']);
    const provider = deps.providers.get(name);
    if (provider?.readInbound === undefined || provider.answerInbound === undefined) {
      throw new NotFoundError('There is no provider with this name that reports inbound calls');
    }
    const body = await bodies.read(req, provider);
    const url = `${deps.config.publicUrl ?? ''}${req.originalUrl}`;
    const reading = provider.readInbound({ url, headers: singleHeaders(req), body });
    res.set('Cache-Control', 'no-store');
    switch (reading.kind) {
      case 'unauthenticated':
        deps.log.warn(
          { provider: name, reason: reading.reason },
          'refused a call that came in: its signature is invalid',
        );
        throw new EventSignatureError();
      case 'malformed':
        throw malformedEvent(reading.faults);
      case 'ignored':
        deps.log.info({ provider: name, reason: reading.reason }, 'an event was ignored');
        res.json({ status: 'ignored' });
        return;
      case 'ended': {
        const { toPhone, conversationId, fact } = reading;
        const owner = await findOwnerOfNumber(deps.db, toPhone);
        const call = owner && (await findInboundCall(deps.db, { ...owner, provider: name, conversationId }));
        if (call) await progress.record({ callId: call.id, withoutAcceptance: true, facts: [fact] });
        res.json({ status: 'recorded' });
        return;
      }
      case 'call': {
        const answer: InboundAnswer = await answerInboundCall(inbound, provider, reading.call);
        const { contentType, body: instructions } = provider.answerInbound(answer);
        res.type(contentType).send(instructions);
        return;
      }
      default:
        reading satisfies never;
    }
  };
}
