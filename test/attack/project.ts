import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod/mini'
import type { AttackTools } from './attack.ts'
import type { Writer } from './kills.ts'
import { type Service, startService } from './service.ts'

const lockfile = z.object({
  targets: z.record(
    z.string(),
    z.object({
      resources: z.record(
        z.string(),
        z.object({ id: z.optional(z.string()), creating: z.optional(z.unknown()) }),
      ),
    }),
  ),
})

/** A project of tools and assistants, and what its lockfile says of them. */
async function openProject(tools: AttackTools) {
  const cwd = await tools.folder()
  const service = await startService(tools)
  const names: string[] = []
  await mkdir(join(cwd, 'tools'))
  await mkdir(join(cwd, 'assistants'))
  await writeFile(join(cwd, 'callyard.yaml'), '{}\n')
  const recorded = async () => {
    const text = await readFile(join(cwd, 'callyard.lock.yaml'), 'utf8').catch(() => 'targets: {}')
    return lockfile.parse(parse(text)).targets.default?.resources ?? {}
  }
  return {
    cwd,
    service,
    env: service.env(await tools.folder()),
    names,
    recorded,
    async addTool(description = 'What it does') {
      const name = `tool-${names.length}`
      names.push(`tool/${name}`)
      await writeFile(
        join(cwd, `tools/${name}.yaml`),
        `type: function\nfunction: { name: ${name}, description: ${description} }\n`,
      )
    },
    async addAssistant() {
      const name = `assistant-${names.length}`
      names.push(`assistant/${name}`)
      await writeFile(join(cwd, `assistants/${name}.yaml`), `name: ${name}\nwelcomeMessage: Hello.\n`)
      return `assistants/${name}.yaml`
    },
    async isDone() {
      const resources = await recorded()
      return names.every(name => resources[name]?.id !== undefined)
    },
    /** Flags of a person for creations without a response. */
    async settled(): Promise<string[]> {
      const open = Object.entries(await recorded()).filter(([, { creating }]) => creating !== undefined)
      return open.flatMap(([address]) => {
        const id = idOf(service, address)
        return id === undefined ? ['--forget', address] : ['--adopt', `${address}=${id}`]
      })
    },
    async count() {
      const resources = await recorded()
      const made = service.made.map(({ name }) => name)
      return {
        lost: names.filter(name => resources[name]?.id !== idOf(service, name)).length,
        doubled: made.length - new Set(made).size,
      }
    },
  }
}

function idOf({ made }: Service, address: string): string | undefined {
  return made.find(({ name }) => address.endsWith(`/${name}`))?.id
}

/** `apply` of a project that grows. */
export const apply: Writer = {
  name: 'apply',
  async open(tools) {
    const project = await openProject(tools)
    let asked = 0
    const grow = async () => {
      for (let count = 0; count < 8; count += 1) await project.addTool()
      for (let count = 0; count < 2; count += 1) await project.addAssistant()
    }
    await grow()
    let settled: string[] = []
    return {
      ...project,
      argv: () => ['apply', '--yes', '--json', ...settled.splice(0)],
      async ended({ exitCode, stdout }) {
        if (exitCode === 0) return
        if (exitCode !== 9) throw new Error(`apply ended ${exitCode}: ${stdout}`)
        asked += 1
        settled = await project.settled()
      },
      renew: grow,
      count: async () => ({
        ...(await project.count()),
        late: asked,
        detail: `${project.names.length} resources; late: runs that asked a person`,
      }),
    }
  },
}

/** `assistant create` of one file after the other. */
export const assistantCreate: Writer = {
  name: 'assistant create',
  async open(tools) {
    const project = await openProject(tools)
    let asked = 0
    let file = await project.addAssistant()
    let settled: string[] = []
    return {
      ...project,
      argv: () =>
        settled.length === 0
          ? ['assistant', 'create', file, '--json']
          : ['apply', '--yes', '--json', ...settled.splice(0)],
      async ended({ exitCode, stdout }) {
        if (exitCode === 0) return
        if (exitCode !== 9) throw new Error(`assistant create ended ${exitCode}: ${stdout}`)
        asked += 1
        settled = await project.settled()
      },
      async renew() {
        file = await project.addAssistant()
      },
      count: async () => ({
        ...(await project.count()),
        late: asked,
        detail: `${project.names.length} assistants; late: runs that asked a person`,
      }),
    }
  },
}

/** `plan --out` over an older plan: after a kill the file is the old plan or the new one. */
export const planOut: Writer = {
  name: 'plan --out',
  async open(tools) {
    const project = await openProject(tools)
    for (let count = 0; count < 100; count += 1) await project.addTool('x'.repeat(20_000))
    let broken = 0
    const isWhole = async () => {
      const text = await readFile(join(project.cwd, 'plan.json'), 'utf8').catch(() => '{}')
      try {
        JSON.parse(text)
        return true
      } catch {
        return false
      }
    }
    return {
      cwd: project.cwd,
      env: project.env,
      argv: () => ['plan', '--out', 'plan.json'],
      ended: async () => undefined,
      isDone: async () => true,
      renew: async () => undefined,
      async killed() {
        if (!(await isWhole())) broken += 1
      },
      count: async () => ({ lost: broken, doubled: 0, late: 0, detail: 'lost: plans that are no JSON' }),
    }
  },
}
