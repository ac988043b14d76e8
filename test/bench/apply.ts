import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { startSandbox } from '../../src/sandbox/index.ts'
import { realClock } from '../helpers/real-clock.ts'
import { writeProject } from './inputs.ts'
import { startInstantService } from './instant-service.ts'
import { runNode, secondsOf } from './processes.ts'
import { interleaved } from './rounds.ts'
import { atMost, defineBench } from './table.ts'

/** The first apply of a project: to a service that responds immediately, and to the sandbox. */
export const applyBench = defineBench({
  name: 'apply',
  rows: {
    project: {
      work: 'first `apply` of 320 resources with 10,000 entries',
      unit: 's',
      floor: '400 requests',
      goal: atMost(3),
    },
    some: { work: 'first `apply` of 300 tools to the sandbox', unit: 's', goal: atMost(1) },
    many: {
      work: 'first `apply` of 3,000 tools to the sandbox',
      unit: 's',
      floor: '2 s for 3,000 requests',
      goal: atMost(8),
    },
  },
  async measure({ bin, folder, rounds }) {
    const instant = await startInstantService()
    const sandbox = await startSandbox({ port: 0, pace: 0, clock: realClock })
    const sandboxEnv = { CALLYARD_BASE_URL: sandbox.baseUrl, CALLYARD_API_KEY: sandbox.apiKey }
    const apply = async (size: Parameters<typeof writeProject>[1], env: Readonly<Record<string, string>>) => {
      const cwd = await mkdtemp(join(folder, 'project-'))
      await writeProject(cwd, size)
      return await runNode([bin, 'apply', '--yes'], { cwd, env })
    }
    const tools = (count: number) =>
      apply({ assistants: 0, tools: count, knowledgeBases: 0, entries: 0 }, sandboxEnv)
    try {
      const samples = await interleaved(rounds(3), {
        project: () => apply({ assistants: 200, tools: 100, knowledgeBases: 20, entries: 500 }, instant.env),
        some: () => tools(300),
        many: () => tools(3000),
      })
      return {
        project: secondsOf(samples.project),
        some: secondsOf(samples.some),
        many: secondsOf(samples.many),
      }
    } finally {
      instant.close()
      await sandbox.close()
    }
  },
})
