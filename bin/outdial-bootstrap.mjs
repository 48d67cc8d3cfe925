#!/usr/bin/env node
/*
 * The first step of `npm start`, `npm test` and `npm run outdial`: installs the dependencies and then runs the real program on a current Node.
 * Plain JavaScript without dependencies, because it runs before there are any, on Node 20 or newer.
 */
import { BootstrapError } from './bootstrap/bootstrap-error.mjs';
import { ensureInstalled } from './bootstrap/install.mjs';
import { findNode } from './bootstrap/node-program.mjs';
import { programs } from './bootstrap/programs.mjs';
import { runProgram } from './bootstrap/run-program.mjs';

const [command = '', ...args] = process.argv.slice(2);
const program = programs[command];

try {
  if (!program) {
    throw new BootstrapError(
      `There is no command '${command}'. Commands: ${Object.keys(programs).join(', ')}.`,
    );
  }
  await ensureInstalled(program.needs);
  if (program.args) await runProgram({ node: findNode(), args: [...program.args, ...args] });
} catch (error) {
  if (!(error instanceof BootstrapError)) throw error;
  console.error(`outdial: ${error.message}`);
  process.exitCode = 1;
}
