import { createServer } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { createJsonSender } from '../../../src/lib/net/json-sender.ts'
import { listenOnLoopback } from '../../helpers/loopback.ts'
import { realClock } from '../../helpers/real-clock.ts'

test.each([
  ['ada:p%40ss', 'ada:p@ss'],
  ['ada:100%', 'ada:100%'],
])('the login %s of a URL goes out, its percent signs as they are meant', async (written, login) => {
  const got: unknown[] = []
  const { origin } = await listenOnLoopback(
    createServer((request, response) => {
      got.push(request.headers.authorization)
      response.end('{}')
    }),
  )
  const sender = createJsonSender({ clock: realClock, maxAnswerBytes: 1000 })
  onTestFinished(() => sender.close())
  const url = origin.replace('//', `//${written}@`)
  expect(await sender.post({ url, headers: {}, timeoutSeconds: 10 }, () => '{}')).toMatchObject({
    status: 200,
  })
  expect(got).toEqual([`Basic ${btoa(login)}`])
})
