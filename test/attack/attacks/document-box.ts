import { openBox, probeBox } from '@outdial/providers/extraction-box';
import type { Attack } from '../attack.ts';

export const documentBox: Attack = {
  name: 'document-box',
  does: 'code in a document looks for the environment, for files, for the database and for the worker',
  async begin() {
    const opened = await openBox();
    // Without namespaces, the worker warns at its start that the network and signals are not restricted. They are not counted here.
    const hasWalls = opened.box.kind !== 'permissions_only';
    const seen = new Set<string>();
    let probes = 0;
    return {
      async send() {
        const report = await probeBox(opened.box, [
          `/proc/${process.pid}/environ`,
          '/etc/passwd',
          '/root/.bashrc',
        ]);
        probes += 1;
        if (report === null) throw new Error('the box that was opened does not work');
        for (const name of report.environment) seen.add(`variable ${name}`);
        for (const path of report.files) seen.add(`file ${path}`);
        if (hasWalls && report.network) seen.add('the network');
        if (hasWalls && report.signals) seen.add('signals');
      },
      figures: async () => [
        { what: `what it reached, of ${opened.box.kind}`, measured: seen.size, unit: '', atMost: 0 },
        { what: 'probes that ran', measured: probes, unit: '', atLeast: 1 },
      ],
    };
  },
  isLight: true,
  perSecond: 1,
  withoutProtection: [
    {
      file: 'packages/providers/src/extraction/box/box.ts',
      find: "  '--permission',\n",
      replace: '',
    },
    {
      file: 'packages/providers/src/extraction/box/box.ts',
      find: '  ...readable.map((path) => `--allow-fs-read=${path}`),\n',
      replace: '',
    },
    {
      file: 'packages/providers/src/extraction/box/box.ts',
      find: "  '--allow-worker',\n",
      replace: '',
    },
    {
      file: 'packages/providers/src/extraction/box/box.ts',
      find: 'const boxes: Box[] = [];',
      replace: 'const boxes: Box[] = [{ ...plainBox, kind: "own_user" }];',
    },
    {
      file: 'packages/providers/src/extraction/box/open-box.ts',
      find: 'return box === plainBox || (!network && !signals);',
      replace: 'return box === plainBox || [network, signals].length > 0;',
    },
  ],
};
