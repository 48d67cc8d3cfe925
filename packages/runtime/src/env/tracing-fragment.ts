import { envFragment } from './fragment.ts';
import { choice, flag, optional, secret, text, url, withDefault } from './variable.ts';

/**
 * The variables of OpenTelemetry that are documented here; its SDK reads them itself, and further ones of its specification
 * (https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/). Null without tracing.
 */
export const tracingEnv = envFragment(
  {
    OTEL_EXPORTER_OTLP_ENDPOINT: optional(
      url('http', 'https'),
      'http://collector:4318',
      'Traces are sent to this OTLP receiver, at its path /v1/traces. Nothing is traced without it.',
    ),
    OTEL_EXPORTER_OTLP_PROTOCOL: withDefault(
      choice(['http/protobuf', 'http/json']),
      'http/protobuf',
      'How traces are sent: http/protobuf or http/json.',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: optional(
      secret(1),
      'api-key=secret',
      'Headers of each request with traces, as key=value, separated by commas.',
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
      'Which traces are kept. parentbased_… leaves it to the request where that is part of a trace already.',
    ),
    OTEL_TRACES_SAMPLER_ARG: optional(
      text,
      '0.05',
      'The share of traces that samplers with traceidratio keep, from 0 to 1.',
    ),
    OTEL_RESOURCE_ATTRIBUTES: optional(
      text,
      'deployment.environment.name=production',
      'What is written on all spans. Their service.name is outdial-api, outdial-worker and so on.',
    ),
    OTEL_SDK_DISABLED: withDefault(flag, '0', '1 turns tracing off whatever else is set.'),
  },
  (env) =>
    env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined || env.OTEL_SDK_DISABLED
      ? null
      : { protocol: env.OTEL_EXPORTER_OTLP_PROTOCOL },
);
