// A tunnel program as others are, on one machine: a reverse proxy that prints its public URL amid other output. It is a
// process of its own, so plain JavaScript. Flags:
//   --port <n>         the listener that requests go to
//   --host <name>      what their Host becomes; else it stays what it was sent to
//   --print <text>     instead of its own URL; {origin} is that URL, {pid} and {descendant} are process ids
//   --die-after <n>    exits with code 7 after n requests
//   --silent           prints nothing
//   --late <ms>        prints the URL so much later
//   --when <file>      prints the URL once this file is there
//   --life <ms>        exits with code 7 so long after it printed the URL
//   --exit <code>      says why and exits at once
//   --ignore-term      ignores SIGTERM
//   --descendant       starts a child that ignores SIGTERM and holds its stderr
// It prints "pid <pid>" first. It listens on 127.0.0.2, which is this machine too, and a host that a listener on
// 127.0.0.1 does not know.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    port: { type: 'string' },
    host: { type: 'string' },
    print: { type: 'string', default: 'Forwarding \x1b[32m{origin}\x1b[0m -> the listener' },
    'die-after': { type: 'string' },
    silent: { type: 'boolean', default: false },
    late: { type: 'string' },
    when: { type: 'string' },
    life: { type: 'string' },
    exit: { type: 'string' },
    'ignore-term': { type: 'boolean', default: false },
    descendant: { type: 'boolean', default: false },
  },
})

const say = text => {
  if (!values.silent) process.stdout.write(`${text}\n`)
}
say(`pid ${process.pid}`)
if (values.exit !== undefined) {
  process.stderr.write('the account has no such tunnel\n')
  process.exit(Number(values.exit))
}
if (values['ignore-term']) process.on('SIGTERM', () => {})
let descendant
if (values.descendant) {
  const script = "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000); console.log('ready')"
  descendant = spawn(process.execPath, ['-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(descendant.stdout, 'data')
}

let answered = 0
const server = createServer((incoming, outgoing) => {
  const headers = { ...incoming.headers, ...(values.host === undefined ? {} : { host: values.host }) }
  const forwarded = send(
    { host: '127.0.0.1', port: values.port, method: incoming.method, path: incoming.url, headers },
    answer => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(outgoing)
      outgoing.on('finish', () => {
        answered++
        if (answered === Number(values['die-after'])) process.exit(7)
      })
    },
  )
  forwarded.on('error', () => outgoing.writeHead(502).end())
  incoming.pipe(forwarded)
})
server.listen(0, '127.0.0.2', () => {
  say(`INF starting; the listener is http://127.0.0.1:${values.port}`)
  const origin = `http://127.0.0.2:${server.address().port}`
  const up = () => {
    if (values.when !== undefined && !existsSync(values.when)) return void setTimeout(up, 10)
    const ids = { origin, pid: process.pid, descendant: descendant?.pid }
    say(`${values.print.replace(/\{(origin|pid|descendant)\}/g, (_all, name) => ids[name])}\nINF ready`)
    if (values.life !== undefined) setTimeout(() => process.exit(7), Number(values.life))
  }
  setTimeout(up, Number(values.late ?? 0))
})
