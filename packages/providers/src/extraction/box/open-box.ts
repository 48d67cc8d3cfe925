import { fork } from 'node:child_process';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Box, permissionFlags, plainBox, possibleBoxes } from './box.ts';
import type { ProbeReport } from './probe.ts';

const probeMs = 20_000;
const probe = fileURLToPath(new URL('probe.ts', import.meta.url));

export interface OpenedBox {
  box: Box;
  /** What code in a document could do; null if that could not be determined. */
  report: ProbeReport | null;
}

/** Tries the boxes, and returns the strictest that works on this machine. */
export async function openBox(): Promise<OpenedBox> {
  // Each process mounts its own file system over this folder, in a private namespace.
  const folder = mkdtempSync(join(tmpdir(), 'outdial-box-'));
  process.once('exit', () => {
    try {
      rmdirSync(folder);
    } catch {
      // An empty folder that stays does no harm.
    }
  });
  for (const box of possibleBoxes(folder)) {
    const report = await probeBox(box);
    if (report !== null && isWorthIt(box, report)) return { box, report };
  }
  return { box: plainBox, report: null };
}

/** A box that does not block network and signals is not worth its cost. */
function isWorthIt(box: Box, { network, signals }: ProbeReport): boolean {
  return box === plainBox || (!network && !signals);
}

/**
 * Runs the probe in the box, the way documents are read. Null if the box cannot start a process.
 * @param files files that the probe tries to read
 */
export async function probeBox(box: Box, files: readonly string[] = []): Promise<ProbeReport | null> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  try {
    return await run(box, [String(process.pid), String(port), ...files]);
  } finally {
    server.close();
  }
}

function run(box: Box, args: readonly string[]): Promise<ProbeReport | null> {
  return new Promise((resolve) => {
    const child = fork(probe, args, {
      ...box.command(permissionFlags),
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), probeMs);
    let report: ProbeReport | null = null;
    child.once('message', (message) => {
      // Only the probe writes to the channel.
      report = message as unknown as ProbeReport;
    });
    for (const end of ['close', 'error']) {
      child.once(end, () => {
        clearTimeout(timer);
        resolve(report);
      });
    }
  });
}
