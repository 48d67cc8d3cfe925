import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomInt } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { superviseChild, type SupervisedChild } from '@outdial/local';
import { waitFor } from '../../stack/wait-for.ts';
import type { Sipp } from '../find-sipp.ts';
import type { CarrierEnd } from './fates.ts';
import { carrierScenario, type CarrierTimes } from './scenario.ts';
import { humanVoice, machineVoice } from './voices.ts';

/** A call as the carrier saw it. */
export interface CarrierCall {
  /** The `Call-ID` of SIP. */
  sipCallId: string;
  number: string;
  callerId: string;
  end: CarrierEnd;
}

export interface Carrier {
  /** The called numbers of all INVITEs. */
  invited(): string[];
  /** The ended calls, in the order of their ends. */
  ended(): CarrierCall[];
  close(): Promise<void>;
}

/** Starts sipp as the carrier behind a trunk, on a loopback port. */
export async function startCarrier(args: {
  sipp: Sipp;
  port: number;
  times: CarrierTimes;
}): Promise<Carrier> {
  const folder = mkdtempSync(join(tmpdir(), 'outdial-carrier-'));
  writeFileSync(join(folder, 'human.ul'), humanVoice());
  writeFileSync(join(folder, 'machine.ul'), machineVoice());
  const voices = { human: join(folder, 'human.ul'), machine: join(folder, 'machine.ul') };
  writeFileSync(join(folder, 'carrier.xml'), carrierScenario(args.times, voices));
  const logFile = join(folder, 'calls.log');
  writeFileSync(logFile, '');
  const settings: Record<string, string> = {
    '-sf': join(folder, 'carrier.xml'),
    '-i': '127.0.0.1',
    '-mi': '127.0.0.1',
    '-p': String(args.port),
    '-log_file': logFile,
    '-error_file': join(folder, 'errors.log'),
  };
  const sipp = await startSipp({ ...args, folder, settings });
  return {
    invited: () => readLines(logFile).flatMap(([, number, , word]) => (word === 'invited' ? [number] : [])),
    ended: () =>
      readLines(logFile).flatMap(([sipCallId, number, callerId, end]) =>
        // The scenario logs only these words.
        end === 'invited' ? [] : [{ sipCallId, number, callerId, end: end as CarrierEnd }],
      ),
    async close() {
      await sipp.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Audio ports are free only until somebody else takes them. */
const startsAtMost = 10;

async function startSipp(args: {
  sipp: Sipp;
  port: number;
  folder: string;
  settings: Record<string, string>;
}): Promise<SupervisedChild> {
  const { sipp, port, folder, settings } = args;
  for (let start = 1; ; start++) {
    const output = join(folder, `output-${start}`);
    // It binds this one and the second after it, once it has bound its port.
    const audioPort = randomInt(30_000, 59_000) & ~1;
    const started = await superviseChild({
      command: sipp.command,
      args: [
        '-nostdin',
        '-trace_logs',
        '-trace_err',
        '-mp',
        String(audioPort),
        ...Object.entries(settings).flat(),
      ],
      cwd: folder,
      env: { ...sipp.env, TERM: 'dumb' },
      logPath: output,
      stopWith: [
        { signal: 'SIGTERM', afterMs: 0 },
        { signal: 'SIGKILL', afterMs: 1_000 },
      ],
    });
    let hasEnded = false;
    void started.exited.then(() => (hasEnded = true));
    await waitFor('sipp to listen', () => hasEnded || (isBound(port) && isBound(audioPort + 2)));
    if (!hasEnded) return started;
    const said = readFileSync(output, 'utf8');
    if (start === startsAtMost || !/RTP socket .*Address already in use/.test(said)) {
      throw new Error(`sipp ended: ${said}`);
    }
  }
}

/** Until its port is open, calls fail at once, because the kernel refuses the packets. */
function isBound(port: number): boolean {
  // Linux's list of sockets; addresses are hexadecimal.
  const loopback = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')} `;
  return readFileSync('/proc/net/udp', 'utf8').includes(loopback);
}

/** Lines of `Call-ID|number|caller|word`; the last one may be half written. */
function readLines(file: string): Array<[string, string, string, string]> {
  return readFileSync(file, 'utf8')
    .split('\n')
    .slice(0, -1)
    .flatMap((line) => {
      const [sipCallId, number, callerId, word] = line.split('|');
      return sipCallId && number && callerId !== undefined && word
        ? [[sipCallId, number, callerId, word]]
        : [];
    });
}
