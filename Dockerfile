# The console is bundled here, since the bundler is native code, which the image below has none of.
FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS console
ENV CI=true
WORKDIR /app
COPY . .
RUN npx --yes pnpm@12.21.0 install --frozen-lockfile --prod --ignore-scripts --filter '@outdial/console...' \
  && node packages/console/src/bundle/main.ts

# One image for api, scheduler, worker, migrate and the command line; the command says which.
FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6 AS build
ENV CI=true
WORKDIR /app
COPY . .
# Only what the three processes and the command line need: no embedded Postgres, no tests. Optional packages are native code that has a
# replacement in JavaScript (or, of pdf.js, draws what is never drawn here).
RUN npx --yes pnpm@12.21.0 install --frozen-lockfile --prod --no-optional --ignore-scripts \
    --filter '@outdial/api...' --filter '@outdial/scheduler...' --filter '@outdial/worker...' --filter '@outdial/voice...' --filter '@outdial/cli...' \
  && sh ops/container/prune.sh /app

COPY --from=console /app/packages/console/dist packages/console/dist

FROM node:24-bookworm-slim@sha256:0e0ff40c39bc087845bfb27465a0df4ea419520094bc35842ff83dd8cbe6f9b6
ENV NODE_ENV=production
# The port that is published reaches the container's own address, not its loopback.
ENV HOST=0.0.0.0 HEALTH_HOST=0.0.0.0
WORKDIR /app
# Node does not strip types below node_modules, so the workspace itself is what runs.
COPY --from=build /app /app
# The volume that is mounted here is made with this owner.
RUN install -d -o node -g node /var/lib/outdial && ln -s /app/ops/container/outdial /usr/local/bin/outdial
USER node
# Without the flag, a request with a million numbers takes a hundred megabytes more.
CMD ["node", "--max-semi-space-size=16", "api/src/main.ts"]
