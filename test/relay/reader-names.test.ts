import { expect, test } from 'vitest'
import { testCli } from '../helpers/test-cli.ts'
import { startBrokerWithRelay } from './start-test-relay.ts'
import { conversation, startTestTail } from './start-test-tail.ts'

test('the names of a stream are listed with their lag, and removed when no tail uses them', {
  tags: 'nats-server',
}, async () => {
  const { broker, relay } = await startBrokerWithRelay()
  const cli = await testCli()
  const positions = (...words: string[]) =>
    cli.run('webhook', 'relay', 'positions', ...words, '--nats', broker.url, '--json')
  expect(JSON.parse((await positions('list')).stdout)).toEqual({ names: [] })
  const ada = await startTestTail([broker.url])
  await relay.send(conversation('a', 1))
  await ada.until(() => ada.texts().length === 1)
  await ada.finish()
  await relay.send(conversation('a', 2))
  const grace = await startTestTail([broker.url], { name: 'grace', start: { kind: 'since', at: 0 } })
  await grace.until(() => grace.texts().length === 2)
  const { names } = JSON.parse((await positions('list')).stdout)
  expect(names).toMatchObject([
    { name: 'ada', tails: 0, behind: 1 },
    { name: 'grace', tails: 1 },
  ])
  expect(await positions('remove', 'grace')).toMatchObject({ exitCode: 9 })
  expect(await positions('remove', 'alan')).toMatchObject({ exitCode: 2 })
  expect(await positions('remove', 'ada')).toMatchObject({ exitCode: 0 })
  expect(JSON.parse((await positions('list')).stdout).names).toMatchObject([{ name: 'grace' }])
  expect((await cli.run('webhook', 'relay', 'positions', 'list', '--nats', broker.url)).stdout).toMatch(
    /^grace {2}read by 1 tail, /,
  )
})
