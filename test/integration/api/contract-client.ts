import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { readErrorsPage } from '../../support/errors-page.ts';

const operation = z.looseObject({
  operationId: z.string(),
  parameters: z.array(z.looseObject({ name: z.string(), in: z.string() })).optional(),
  responses: z.record(
    z.string(),
    z.looseObject({
      content: z
        .record(z.string(), z.looseObject({ schema: z.unknown(), example: z.unknown().optional() }))
        .optional(),
    }),
  ),
});

const openApi = z.looseObject({
  openapi: z.string(),
  paths: z.record(z.string(), z.record(z.string(), operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.looseObject({})) }),
});

export type OpenApi = z.output<typeof openApi>;

export interface ApiRequest {
  key?: string | undefined;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  json?: unknown;
  /** Sent unchanged. */
  body?: string | FormData | Uint8Array<ArrayBuffer>;
}

export interface ApiAnswer {
  status: number;
  headers: Headers;
  /** Parsed if it is JSON. */
  json: unknown;
  bytes: Buffer;
}

const withId = z.object({ data: z.object({ id: z.string() }) });
/** The id of what an answer is about. */
export const idOf = (json: unknown): string => withId.parse(json).data.id;

const codedError = z.object({ detail: z.string(), code: z.string() });

const withMessage = z.object({ message: z.string() });
const messageOf = (json: unknown) => withMessage.safeParse(json).data?.message;
const dryRun = z.object({ data: z.object({ dry_run: z.literal(true) }) });

const { statuses } = readErrorsPage();

/** Calls the api over HTTP, and validates every answer against the api's OpenAPI document. */
export class ContractClient {
  readonly document: OpenApi;
  /** The operations that answered 200 so far. */
  readonly succeeded = new Set<string>();
  readonly #base: string;
  readonly #ajv: Ajv2020;
  readonly #validators = new Map<string, ValidateFunction>();

  constructor(base: string, document: OpenApi) {
    this.#base = base;
    this.document = document;
    this.#ajv = new Ajv2020({ strict: false, allErrors: true });
    // ajv-formats is CommonJS: its default export is the module where ESM looks for it.
    addFormats.default(this.#ajv);
    this.#ajv.addSchema({ $id: 'document', ...document });
  }

  static async open(base: string): Promise<ContractClient> {
    const response = await fetch(`${base}/openapi.json`);
    return new ContractClient(base, openApi.parse(await response.json()));
  }

  get base(): string {
    return this.#base;
  }

  /** `label` is a method and a path: `GET /api/v1/calls/1`. */
  async send(label: string, request: ApiRequest = {}): Promise<ApiAnswer> {
    const [method = '', path = ''] = label.split(' ');
    const response = await fetch(this.#base + path, {
      method,
      headers: {
        ...(request.key === undefined ? {} : { 'X-API-Key': request.key }),
        ...(request.json === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...request.headers,
      },
      ...(request.json === undefined ? {} : { body: JSON.stringify(request.json) }),
      ...(request.body === undefined ? {} : { body: request.body }),
      redirect: 'manual',
    });
    const bytes = Buffer.from(await response.arrayBuffer());
    const isJson =
      response.headers.get('content-type')?.startsWith('application/json') === true && bytes.length > 0;
    const json: unknown = isJson ? JSON.parse(bytes.toString()) : undefined;
    this.#compareWithDocument(method, path, response, json);
    return { status: response.status, headers: response.headers, json, bytes };
  }

  /** Sends a request that creates something, and returns its id. */
  async create(label: string, request: ApiRequest): Promise<string> {
    return idOf((await this.send(label, request)).json);
  }

  #compareWithDocument(method: string, path: string, response: Response, json: unknown): void {
    const pathname = new URL(path, this.#base).pathname;
    const found = this.#find(method, pathname);
    if (found === null) {
      return;
    }
    const described = found.operation.responses[response.status];
    if (described === undefined) {
      throw new Error(`${method} ${path} answered ${response.status}, which is not documented`);
    }
    const code = codedError.safeParse(json).data?.code;
    if (code !== undefined && statuses.get(code)?.includes(response.status) !== true) {
      throw new Error(
        `${method} ${path} answered ${response.status} ${code}, which is not in docs/errors.md`,
      );
    }
    if (response.ok) {
      this.succeeded.add(found.operation.operationId);
    }
    if (described.content?.['application/json'] === undefined || method === 'HEAD') {
      return;
    }
    const messages = [json, described.content['application/json'].example].map(messageOf);
    // An import that is only tried creates nothing, and the first config is created.
    if (messages[0] !== messages[1] && !dryRun.safeParse(json).success && method !== 'PUT') {
      throw new Error(`${method} ${path} answered ${messages[0]}, and its example ${messages[1]}`);
    }
    const answers = ['paths', found.template, method.toLowerCase(), 'responses', String(response.status)];
    const faults = this.faultsOf(json, [...answers, 'content', 'application/json', 'schema']);
    if (faults !== null) {
      throw new Error(
        `${method} ${path} ${response.status} does not match the document: ${faults}\n${JSON.stringify(json)}`,
      );
    }
  }

  /** What the schema at a place of the document refuses of a value. Null if nothing. */
  faultsOf(value: unknown, place: readonly string[]): string | null {
    const steps = place.map((step) => encodeURIComponent(step.replaceAll('~', '~0').replaceAll('/', '~1')));
    const $ref = `document#/${steps.join('/')}`;
    const validate = this.#validators.get($ref) ?? this.#ajv.compile({ $ref });
    this.#validators.set($ref, validate);
    return validate(value) ? null : this.#ajv.errorsText(validate.errors);
  }

  #find(method: string, pathname: string) {
    const key = method === 'HEAD' ? 'get' : method.toLowerCase();
    for (const [template, item] of Object.entries(this.document.paths)) {
      const pattern = new RegExp(`^${template.replaceAll(/\{\w+\}/g, '[^/]+').replace(/\/$/, '')}/?$`);
      const described = item[key];
      if (described !== undefined && pattern.test(pathname)) {
        return { template, operation: described };
      }
    }
    return null;
  }
}
