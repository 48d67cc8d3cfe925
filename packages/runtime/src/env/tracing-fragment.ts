import { envFragment } from './fragment.ts';
import { choice, flag, optional, secret, text, url, withDefault } from './variable.ts';

/**
 * The OpenTelemetry variables that we document; null without tracing. The SDK reads these and others
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/).
 */
export const tracingEnv = envFragment(
  {
    OTEL_EXPORTER_OTLP_ENDPOINT: optional(
      url('http', 'https'),
      'http://collector:4318',
      'The OTLP receiver of traces, without the path /v1/traces. Tracing is off unless this is set.',
    ),
    OTEL_EXPORTER_OTLP_PROTOCOL: withDefault(
      choice(['http/protobuf', 'http/json']),
      'http/protobuf',
      'The protocol of the receiver: http/protobuf or http/json.',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: optional(
      secret(1),
      'api-key=secret',
      'Headers of requests to the receiver, as key=value, separated by commas.',
    ),
    OTEL_TRACES_SAMPLER: withDefault(
      choice([
        'always_on',
        'always_off',
        'traceidratio',
        'parentbased_always_on',
        'parentbased_always_off',
        'parentbased_traceidratio',
      ]),
      'parentbased_always_on',
      'Which traces are kept. parentbased_… follows the decision of a request that is already traced.',
    ),
    OTEL_TRACES_SAMPLER_ARG: optional(
      text,
      '0.05',
      'The share of traces that samplers with traceidratio keep, from 0 to 1.',
    ),
    OTEL_RESOURCE_ATTRIBUTES: optional(
      text,
      'deployment.environment.name=production',
      'Attributes of all spans. Their service.name is outdial-api, outdial-worker and so on.',
    ),
    OTEL_SDK_DISABLED: withDefault(flag, '0', '1 turns tracing off.'),
  },
  (env) =>
    env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || env.OTEL_SDK_DISABLED
      ? null
      : { protocol: env.OTEL_EXPORTER_OTLP_PROTOCOL },
);
