import { fileURLToPath } from 'node:url';
import express, { type Router } from 'express';

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

/**
 * `/docs`: the OpenAPI document in Swagger UI, whose files are served locally. The document is built for its first reader, because building
 * it takes longer than the rest of the api's start.
 */
export function docsPages(buildDocument: () => object): Router {
  const router = express.Router();
  const assets = fileURLToPath(new URL('.', import.meta.resolve('swagger-ui-dist/package.json')));
  let documentText: string | undefined;

  router.get('/openapi.json', (_req, res) => {
    res.type('json').send((documentText ??= JSON.stringify(buildDocument())));
  });
  router.get('/docs', (req, res) => {
    if (req.path.endsWith('/')) {
      // The page's URLs are relative, so that it works behind a path prefix.
      res.redirect(308, '../docs');
      return;
    }
    res.type('html').send(page);
  });
  router.get('/docs/start.js', (_req, res) => {
    res.type('js').send(start);
  });
  router.use('/docs', express.static(assets, { index: false, redirect: false, maxAge: '1h' }));
  return router;
}
