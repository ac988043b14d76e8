import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { starterProject } from '../../src/cli/commands/starter-project.ts'
import { startInstantService } from './instant-service.ts'
import type { Peer } from './peers.ts'
import { runNode } from './processes.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atMost, type Bench, type Figure, type Row, type Workspace } from './table.ts'

/** A run of a program, callyard by default, in an applied starter project. */
interface Start extends Row {
  readonly program?: string
  readonly argv: readonly string[]
}

const oneRequest = atMost(process.versions.node.startsWith('20.') ? 4 : 2.5)
const httpFloor = '1.42 with node:http alone'
const numbers = ['--from', '+12025550100', '--to', '+12025550123']

const starts: readonly Start[] = [
  { work: '`--version`', unit: 'times', floor: '1', goal: atMost(1.2), argv: ['--version'] },
  { work: '`--help`', unit: 'times', floor: '1', goal: atMost(1.2), argv: ['--help'] },
  {
    work: 'help of one command',
    unit: 'times',
    floor: '1',
    goal: atMost(1.3),
    argv: ['webhook', 'tail', '--help'],
  },
  {
    work: 'starter project: `validate` of one file',
    unit: 'times',
    floor: '1.76 with js-yaml and zod/mini alone',
    goal: atMost(2.4),
    argv: ['validate', 'assistants/front-desk.yaml'],
  },
  {
    work: 'starter project: `validate` of all files',
    unit: 'times',
    goal: atMost(3.8),
    argv: ['validate', '.'],
  },
  { work: 'starter project: `plan`', unit: 'times', goal: atMost(4.6), argv: ['plan'] },
  {
    work: 'starter project: one `test`',
    unit: 'times',
    goal: atMost(6),
    argv: ['test', 'tests/opening-hours.test.yaml'],
  },
  {
    work: 'starter project: one `test` with a tool',
    unit: 'times',
    goal: atMost(7),
    argv: ['test', 'tests/booking.test.yaml'],
  },
  {
    work: 'starter project: `call start` by name',
    unit: 'times',
    floor: httpFloor,
    goal: atMost(4.5),
    argv: ['call', 'start', ...numbers, '--assistant', 'front-desk', '--yes'],
  },
  {
    work: 'starter project: `sandbox exec -- true`',
    unit: 'times',
    argv: ['sandbox', 'exec', '--project', '.', '--', 'true'],
  },
  {
    work: '`call start`, one request',
    unit: 'times',
    floor: httpFloor,
    goal: oneRequest,
    argv: ['call', 'start', ...numbers, '--assistant-id', 'a1', '--yes'],
  },
  {
    work: '`api GET`, one request',
    unit: 'times',
    floor: httpFloor,
    goal: oneRequest,
    argv: ['api', 'GET', '/calls/v1/conversations/c1'],
  },
  { work: '`profile list`', unit: 'times', goal: atMost(1.6), argv: ['profile', 'list'] },
]

/** Whole runs of a command as ratios to `node -e 0`; beside them other tools that npm installs. */
export function startupBench(peers: readonly Peer[]): Bench {
  const others = peers.map(
    ({ name, program, argv }): Start => ({
      work: `${name}: \`${argv.join(' ')}\``,
      unit: 'times',
      program,
      argv,
    }),
  )
  const all = Object.fromEntries([...starts, ...others].map(start => [start.work, start]))
  return { name: 'startup', rows: all, measure: space => measureStarts(space, all) }
}

async function measureStarts(
  { bin, folder, rounds }: Workspace,
  starts: Readonly<Record<string, Start>>,
): Promise<Record<string, Figure>> {
  const cwd = join(folder, 'starter')
  for (const [name, text] of Object.entries(starterProject())) {
    await mkdir(dirname(join(cwd, name)), { recursive: true })
    await writeFile(join(cwd, name), text)
  }
  const service = await startInstantService()
  // Keeps other tools from asking their makers for news.
  const env = { ...service.env, HOME: folder, CI: '1', DO_NOT_TRACK: '1', WRANGLER_SEND_METRICS: 'false' }
  const run = async (argv: readonly string[]) =>
    (await runNode(argv, { cwd, env, isProbed: false })).seconds * 1000
  const bare = () => run(['-e', '0'])
  const works = Object.entries(starts).map(([work, { program = bin, argv }]) => {
    return [work, () => run([program, ...argv])] as const
  })
  try {
    await run([bin, 'apply', '--yes'])
    const times = await interleaved<string, number>(rounds(15), { bare, ...Object.fromEntries(works) })
    const bareTimes = times.bare ?? []
    const figure = (taken: readonly number[]): Figure => ({
      value: medianRatio(taken, bareTimes),
      detail: `${median(taken).toFixed(1)} ms; node -e 0: ${median(bareTimes).toFixed(1)} ms`,
    })
    return Object.fromEntries(works.map(([work]) => [work, figure(times[work] ?? [])]))
  } finally {
    service.close()
  }
}
