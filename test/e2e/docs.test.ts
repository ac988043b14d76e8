import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { execa } from 'execa'
import { expect, onTestFinished, test } from 'vitest'
import { startSandbox } from '../../src/sandbox/index.ts'
import { fencesOf, guides, textOf } from '../docs/markdown.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { listenOnLoopback } from '../helpers/loopback.ts'
import { reservePort } from '../helpers/ports.ts'
import { realClock } from '../helpers/real-clock.ts'
import { bin } from '../helpers/run-bin.ts'

const pages = await Promise.all(
  (await guides()).map(async page => ({
    page,
    blocks: fencesOf(await textOf(page)).filter(
      ({ language, mark }) => language === 'sh' && !mark.startsWith('not-run'),
    ),
  })),
)

test.for(pages.filter(({ blocks }) => blocks.length > 0))(
  'the shell examples of $page run in order',
  { tags: 'jq' },
  async ({ blocks }) => {
    const folder = await temporaryFolder()
    const sandbox = await startSandbox({ port: 0, pace: 0, clock: realClock })
    onTestFinished(() => sandbox.close())
    const received: string[] = []
    const server = createServer(async (request, response) => {
      request.resume().on('end', () => {
        received.push(request.url ?? '')
        response.setHeader('content-type', 'application/json').end('{"message":"ok"}')
      })
    })
    const { origin: hook } = await listenOnLoopback(server)
    const ports = { sandbox: await reservePort(), tail: await reservePort() }
    const moved = (text: string) =>
      text
        .replaceAll('127.0.0.1:4010', `127.0.0.1:${ports.sandbox}`)
        .replaceAll('127.0.0.1:4011', `127.0.0.1:${ports.tail}`)
        .replaceAll('http://127.0.0.1:3000', hook)
        .replaceAll('https://calls.example.com', sandbox.baseUrl)

    const scripts = blocks.map(({ mark, body }, index) => ({
      file: `block-${index}.sh`,
      mark,
      body: moved(body),
    }))
    for (const { file, mark, body } of scripts) {
      // The trap ends what runs on: without exec it would end the shell around it.
      await writeFile(join(folder, file), mark === 'background' ? `exec ${body}` : body)
    }
    await mkdir(join(folder, 'bin'))
    await writeFile(join(folder, 'bin/callyard'), callyardOn(ports))
    await chmod(join(folder, 'bin/callyard'), 0o755)
    await mkdir(join(folder, 'work'))

    // A page that says where the service is has to be enough.
    const isSetUp = blocks.some(({ body }) => /callyard (sandbox start|profile add)/.test(body))
    const { exitCode, all } = await execa('bash', ['-euo', 'pipefail', '-x', '-c', scriptOf(scripts)], {
      cwd: join(folder, 'work'),
      reject: false,
      all: true,
      stdin: 'ignore',
      extendEnv: false,
      env: {
        BLOCKS: folder,
        PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
        HOME: folder,
        TMPDIR: folder,
        // Compiled code alone is kept there, for the commands of all pages.
        ...(process.env.HOME === undefined ? {} : { XDG_CACHE_HOME: join(process.env.HOME, '.cache') }),
        CALLYARD_CONFIG_DIR: join(folder, 'config'),
        ...Object.fromEntries(
          ['GIT_AUTHOR', 'GIT_COMMITTER'].flatMap(role => [
            [`${role}_NAME`, 'Ada'],
            [`${role}_EMAIL`, 'ada@example.com'],
          ]),
        ),
        WEBHOOK_URL: `http://127.0.0.1:${ports.tail}/`,
        API_KEY: sandbox.apiKey,
        ...(isSetUp ? {} : { CALLYARD_BASE_URL: sandbox.baseUrl, CALLYARD_API_KEY: sandbox.apiKey }),
      },
    })
    expect(exitCode, all).toBe(0)
    if (blocks.some(({ body }) => body.includes('127.0.0.1:3000'))) expect(received).toContain('/hook')
  },
)

/** The built command. The ports that the pages name may be taken on this machine, and no test waits for speech. */
function callyardOn(ports: { readonly sandbox: number; readonly tail: number }): string {
  return `#!/bin/sh
case "$1 $2 $*" in
  "sandbox start "*--pace*) set -- "$@" --port ${ports.sandbox} ;;
  "sandbox start "*) set -- "$@" --port ${ports.sandbox} --pace 0 ;;
  "webhook tail "*) set -- "$@" --port ${ports.tail} ;;
esac
exec '${process.execPath}' '${bin}' "$@"
`
}

/** One script, so that a folder or a variable of one block holds in the next. What runs on has said where it listens first. */
function scriptOf(blocks: readonly { readonly file: string; readonly mark: string }[]): string {
  const lines = blocks.map(({ file, mark }) =>
    mark === 'background'
      ? `exec {out}< <(exec bash "$BLOCKS/${file}" 2>&1); running+=($!)
while read -r line <&$out; do echo "$line"; case $line in *http://*) break ;; esac; done
cat <&$out &`
      : `. "$BLOCKS/${file}"`,
  )
  return [
    'running=()',
    'trap \'kill "${running[@]}" 2> /dev/null || true\' EXIT',
    ...lines,
    stillRunning,
  ].join('\n')
}

/** Fails where something that was to run on has ended. */
const stillRunning = 'for pid in "${running[@]}"; do kill -0 "$pid"; done'
