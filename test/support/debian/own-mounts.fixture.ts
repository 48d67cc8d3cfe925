import { spawn } from 'node:child_process';
import { withOwnMounts } from './own-mounts.ts';

/** Runs a program that mounts /proc in the given folder, prints that, and sleeps. */
const script = 'mount -t proc proc "$1" && ls "$1/self/mounts" && exec sleep 60';
const { command, args } = withOwnMounts('sh', ['-c', script, 'sh', process.argv[2] ?? '']);
spawn(command, args, { stdio: ['ignore', 'inherit', 'ignore'] });
