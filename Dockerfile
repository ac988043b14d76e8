# `callyard sandbox start` in a container. Arguments after the image name are its flags. For usage, see docs/sandbox.md.
FROM node:22-alpine AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY . .
RUN npm run build

FROM node:22-alpine
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/bin ./bin
COPY --from=build /build/dist ./dist
USER node
EXPOSE 4010
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=5s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:4010/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "/app/bin/callyard.js", "sandbox", "start", "--host", "0.0.0.0", "--allow-remote", "--in-memory"]
