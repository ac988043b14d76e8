import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startInstantService } from './instant-service.ts'
import type { Peer } from './peers.ts'
import { runNode } from './processes.ts'
import { interleaved, median, medianRatio } from './rounds.ts'
import { atMost, type Bench, type Figure, type Row, type Workspace } from './table.ts'

/** A program and its arguments; without a program it is ours. */
interface Start extends Row {
  readonly program?: string
  readonly argv: readonly string[]
}

const oneRequest = atMost(process.versions.node.startsWith('20.') ? 4 : 2.5)
const httpFloor = '1.42 with node:http alone'
const call = ['--from', '+12025550100', '--to', '+12025550123', '--assistant-id', 'a1']

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
    work: '`validate` one file',
    unit: 'times',
    floor: '1.76 with js-yaml and zod/mini alone',
    goal: atMost(2.2),
    argv: ['validate', 'tool.yaml', '--kind', 'tool'],
  },
  {
    work: '`call start`, one request',
    unit: 'times',
    floor: httpFloor,
    goal: oneRequest,
    argv: ['call', 'start', ...call],
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
  await writeFile(join(folder, 'tool.yaml'), 'type: function\nfunction: { name: book }\n')
  const service = await startInstantService()
  // Keeps other tools from asking their makers for news.
  const env = { ...service.env, HOME: folder, CI: '1', DO_NOT_TRACK: '1', WRANGLER_SEND_METRICS: 'false' }
  const run = async (argv: readonly string[]) =>
    (await runNode(argv, { cwd: folder, env, isProbed: false })).seconds * 1000
  const bare = () => run(['-e', '0'])
  const works = Object.entries(starts).map(([work, { program = bin, argv }]) => {
    return [work, () => run([program, ...argv])] as const
  })
  try {
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
