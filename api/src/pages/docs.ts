import { readFile } from 'node:fs/promises';
import { staticFile, type StaticFile } from '@outdial/console/bundle';
import express, { type RequestHandler, type Router } from 'express';
import { sendStatic } from '../http/send-static.ts';

const title = 'Outdial API';

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <link rel="stylesheet" href="docs/swagger-ui.css">
    <link rel="icon" type="image/png" href="docs/favicon-32x32.png">
  </head>
  <body>
    <div id="swagger-ui"></div>
    <script src="docs/swagger-ui-bundle.js"></script>
    <script src="docs/start.js"></script>
  </body>
</html>
`;

const start = `SwaggerUIBundle({ url: 'openapi.json', dom_id: '#swagger-ui', deepLinking: true, validatorUrl: null });\n`;

const hourSeconds = 3_600;

/** The files of Swagger UI that the page loads. */
const assetNames: readonly string[] = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

/**
 * `/docs`: the OpenAPI document in Swagger UI, whose files are served locally. Each is read and compressed once, for its first reader. Building the
 * document takes longer than the rest of the api's start.
 */
export function docsPages(buildDocument: () => object): Router {
  const router = express.Router();
  const assets = new URL('.', import.meta.resolve('swagger-ui-dist/package.json'));
  const swaggerUi = assetNames.map(
    (name) => [name, async () => staticFile(name, await readFile(new URL(name, assets)))] as const,
  );
  const unchanging = `public, max-age=${hourSeconds}`;

  router.get(
    '/openapi.json',
    answerWith(() => staticFile('openapi.json', JSON.stringify(buildDocument())), 'no-cache'),
  );
  router.get('/docs', (req, res, next) => {
    // The page's URLs are relative, so that it works behind a path prefix.
    if (req.path.endsWith('/')) res.redirect(308, '../docs');
    else next();
  });
  router.get(
    '/docs',
    answerWith(() => staticFile('docs.html', page), 'no-cache'),
  );
  router.get(
    '/docs/start.js',
    answerWith(() => staticFile('start.js', start), unchanging),
  );
  for (const [name, read] of swaggerUi) router.get(`/docs/${name}`, answerWith(read, unchanging));
  return router;
}

/** Makes the file for its first reader, and again only after a failure. */
function answerWith(make: () => Promise<StaticFile>, cacheControl: string): RequestHandler {
  let made: Promise<StaticFile> | undefined;
  return async (req, res) => {
    made ??= make();
    made.catch(() => (made = undefined));
    sendStatic(req, res, await made, cacheControl);
  };
}
