import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { startInstantService } from './instant-service.ts'
import { megabytesOf, runNode, secondsOf } from './processes.ts'
import { interleaved, median } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

const [few, many] = [500, 4000]

/** Planning and running batches of calls. */
export const batchBench = defineBench({
  name: 'batch',
  rows: {
    plan: { work: '`call batch plan` of 100,000 rows in four time zones', unit: 's', goal: atMost(3) },
    planMemory: { work: '`call batch plan` of 100,000 rows: peak memory', unit: 'MB', goal: atMost(300) },
    run: {
      work: '`call batch run`: time of a row at 4,000, against at 500',
      unit: 'times',
      goal: atMost(1.3),
    },
    status: { work: '`call batch status` after 4,000 calls', unit: 's', goal: atMost(0.6) },
  },
  async measure({ bin, folder, rounds }) {
    const cwd = join(folder, 'batch')
    await mkdir(cwd)
    const flags = ['--from', '+12025550100']
    await writeFile(join(cwd, 'large.csv'), listOf(100_000))
    for (const rows of [few, many]) await writeFile(join(cwd, `list-${rows}.csv`), listOf(rows))
    const service = await startInstantService()
    try {
      const plan = [bin, 'call', 'batch', 'plan', 'large.csv', ...flags, '--hours', '09:00-20:00']
      const limits = ['--yes', '--max-calls', '100000', '--no-log', '--quiet']
      const run = async (rows: number) => {
        await rm(join(cwd, '.callwright'), { recursive: true, force: true })
        const argv = [bin, 'call', 'batch', 'run', `list-${rows}.csv`, ...flags, ...limits]
        return runNode(argv, { cwd, env: service.env })
      }
      const samples = await interleaved(rounds(3), {
        plan: () => runNode(plan, { cwd }),
        few: () => run(few),
        many: () => run(many),
        status: () => runNode([bin, 'call', 'batch', 'status', `list-${many}.csv`, ...flags], { cwd }),
      })
      const perRow = (of: readonly { readonly seconds: number }[], rows: number) =>
        median(of.map(({ seconds }) => seconds)) / rows
      return {
        plan: secondsOf(samples.plan),
        planMemory: megabytesOf(samples.plan),
        run: { value: perRow(samples.many, many) / perRow(samples.few, few) },
        status: secondsOf(samples.status),
      }
    } finally {
      service.close()
    }
  },
})

function listOf(rows: number): string {
  const zones = ['America/New_York', 'Europe/Berlin', 'Asia/Tokyo', 'America/Los_Angeles']
  const lines = Array.from(
    { length: rows },
    (_, index) => `c${index},Name ${index},+4915${100_000_000 + index},${zones[index % 4]}\n`,
  )
  return `customer_id,name,phone_number,tz\n${lines.join('')}`
}
