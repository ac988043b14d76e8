import { spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import * as z from 'zod/mini'
import { getCommandPath } from '../../src/cli/commands/help/command-help.ts'
import { buildTree } from '../cli/commands/help/tree.ts'
import { temporaryFolder } from '../helpers/folders.ts'
import { textOf } from './markdown.ts'

// There is no container engine where these tests run.

const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.looseObject({
      entrypoint: z.optional(z.array(z.string())),
      command: z.optional(z.array(z.string())),
      volumes: z.array(z.string()),
    }),
  ),
  volumes: z.record(z.string(), z.null()),
})

const statefulSetSchema = z.looseObject({
  kind: z.literal('StatefulSet'),
  spec: z.looseObject({
    template: z.looseObject({
      spec: z.looseObject({
        containers: z.array(
          z.looseObject({
            command: z.array(z.string()),
            volumeMounts: z.array(z.looseObject({ name: z.string(), mountPath: z.string() })),
          }),
        ),
      }),
    }),
    volumeClaimTemplates: z.array(z.looseObject({ metadata: z.looseObject({ name: z.string() }) })),
  }),
})

async function readCompose() {
  return composeSchema.parse(parse(await textOf('examples/team/compose.yaml'), { merge: true }))
}

async function readStatefulSet() {
  const documents = parseAllDocuments(await textOf('examples/team/kubernetes.yaml')).map(document =>
    document.toJS(),
  )
  return statefulSetSchema.parse(documents.find(({ kind }) => kind === 'StatefulSet')).spec
}

const relays = {
  compose: async () => (await readCompose()).services.relay?.entrypoint ?? [],
  kubernetes: async () => (await readStatefulSet()).template.spec.containers[0]?.command ?? [],
}

test.each(Object.entries(relays))('the flags of the relay in %s are valid', async (_, commandOf) => {
  const [node, bin, ...argv] = await commandOf()
  expect([node, bin]).toEqual(['node', '/app/bin/callyard.js'])
  const ran: unknown[] = []
  const tree = await buildTree(async command => {
    ran.push([getCommandPath(command), command.opts()])
  })
  await tree.parseAsync(
    argv.map(flag => flag.replace(/\$\{\w+:\?[^}]*\}/, 'events.example.com')),
    {
      from: 'user',
    },
  )
  expect(ran).toEqual([
    [
      'callyard webhook relay',
      expect.objectContaining({ spool: '/var/lib/callyard/spool', allowHost: ['events.example.com'] }),
    ],
  ])
})

test('the spools and the stores of the brokers are on volumes', async () => {
  const { services, volumes } = await readCompose()
  expect(services.relay?.volumes).toEqual(['spool:/var/lib/callyard'])
  const brokers = Object.entries(services).filter(([name]) => name.startsWith('nats-'))
  expect(brokers).toHaveLength(3)
  for (const [name, broker] of brokers) {
    expect(broker.command).toEqual(expect.arrayContaining([name]))
    expect(broker.volumes).toContain(`${name}:/data`)
    expect(volumes).toHaveProperty(name)
  }
  const { template, volumeClaimTemplates } = await readStatefulSet()
  const [claim] = volumeClaimTemplates
  expect(template.spec.containers[0]?.volumeMounts).toContainEqual({
    name: claim?.metadata.name,
    mountPath: '/var/lib/callyard',
  })
})

test('nats-server accepts the configuration of the brokers', { tags: 'nats-server' }, async () => {
  const folder = await temporaryFolder()
  const config = join(folder, 'nats.conf')
  const text = await textOf('examples/team/nats.conf')
  // A setting of newer servers.
  await writeFile(config, text.replace(/^\s*sync_interval: always$/m, ''))
  const { status, stderr } = spawnSync('nats-server', ['-c', config, '-t'], { encoding: 'utf8' })
  expect(stderr).toContain('configuration file')
  expect(status).toBe(0)
})
