import { endedRecipients, type CampaignProgress } from '@outdial/db';
import { Presets, SingleBar } from 'cli-progress';
import type { CliContext } from '../cli-context.ts';
import { progressJson, progressLine } from './progress-line.ts';

type Output = Pick<CliContext, 'isTerminal' | 'out'>;

export interface ProgressDisplay {
  show(progress: CampaignProgress): void;
  close(): void;
}

/** A bar on a terminal; elsewhere, or with `--json`, a line whenever something has changed. */
export function openProgressDisplay(output: Output, options: { json?: boolean }): ProgressDisplay {
  return output.isTerminal && options.json !== true ? openBar() : openLines(output, options);
}

function openBar(): ProgressDisplay {
  const bar = new SingleBar(
    { format: '{bar} {percentage}% · {line}', hideCursor: true, stream: process.stdout, gracefulExit: false },
    Presets.shades_classic,
  );
  let started = false;
  return {
    show(progress) {
      const payload = { line: progressLine(progress) };
      const { total } = progress.recipients;
      const ended = endedRecipients(progress);
      if (!started) bar.start(total, ended, payload);
      started = true;
      bar.setTotal(total);
      bar.update(ended, payload);
    },
    close: () => bar.stop(),
  };
}

function openLines(output: Output, options: { json?: boolean }): ProgressDisplay {
  let last = '';
  return {
    show(progress) {
      const line = options.json === true ? JSON.stringify(progressJson(progress)) : progressLine(progress);
      if (line !== last) output.out.write(`${line}\n`);
      last = line;
    },
    close: () => undefined,
  };
}
