# The service in a container: docker build -t plumbline . (docs/operating/install.md)

FROM node:24-bookworm-slim AS packages
WORKDIR /opt/plumbline
COPY package.json package-lock.json ./
# The service runs on the Node version that package.json pins. The node package contains that binary twice, and one is
# enough.
RUN npm ci --omit=dev --workspaces=false --no-audit --no-fund && rm -rf node_modules/node/node_modules

FROM node:24-bookworm-slim AS pages
WORKDIR /opt/plumbline
COPY package.json package-lock.json ./
RUN npm ci --workspaces=false --ignore-scripts --no-audit --no-fund
COPY client client
COPY server/platform/values server/platform/values
COPY web web
RUN node web/build.ts

FROM node:24-bookworm-slim
WORKDIR /opt/plumbline
COPY --from=packages /opt/plumbline/node_modules node_modules
COPY package.json ./
COPY server server
COPY --from=pages /opt/plumbline/dist/web dist/web
# The volume inherits the owner and mode of this folder.
RUN install -d -o node -g node -m 0700 /var/lib/plumbline

# On the embedded database the service by default creates a demo builder and delivers to private addresses. Turn both
# off in production.
ENV NODE_ENV=production \
    HOST=0.0.0.0 \
    PORT=3000 \
    DATA_DIR=/var/lib/plumbline \
    DEMO=false \
    WEBHOOK_ALLOW_PRIVATE=false
USER node
VOLUME /var/lib/plumbline
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=5s --start-period=60s \
    CMD ["node_modules/.bin/node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((answer) => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]
# No npm or shell in between, so that signals reach the service.
CMD ["node_modules/.bin/node", "--max-semi-space-size=16", "server/main.js"]
