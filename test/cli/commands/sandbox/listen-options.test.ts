import { expect, test } from 'vitest'
import { listenOptions } from '../../../../src/cli/commands/sandbox/start.ts'

const given = { host: '127.0.0.1', port: 4010, control: true } as const
const remote = { ...given, host: '0.0.0.0', allowRemote: true } as const
const secrets = {
  CALLYARD_API_KEY: 'key-of-these-tests',
  CALLYARD_SANDBOX_TOKEN: 'token-of-these-tests',
}

test.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])(
  'on %s, ignores the key of the environment, which may belong to a service',
  host => {
    expect(listenOptions({ ...given, host }, secrets)).toEqual({
      ...{ host, port: 4010, publicUrl: undefined },
      ...{ apiKey: undefined, controlToken: 'token-of-these-tests' },
    })
    expect(listenOptions({ ...given, host }, {}).controlToken).toBeUndefined()
    expect(listenOptions({ ...given, host, control: false }, secrets).controlToken).toBe(false)
  },
)

test.each(['0.0.0.0', '::', '192.0.2.7', 'sandbox.example.com', '127.example.test', 'x.localhost'])(
  '%s needs --allow-remote',
  host => {
    expect(() => listenOptions({ ...given, host }, secrets)).toThrow(
      expect.objectContaining({ kind: 'usage' }),
    )
    expect(listenOptions({ ...given, host, allowRemote: true }, {}).host).toBe(host)
  },
)

test('uses key and token of the environment if other machines can reach it', () => {
  expect(listenOptions({ ...remote, publicUrl: 'http://sandbox:4010/' }, secrets)).toEqual({
    ...{ host: '0.0.0.0', port: 4010, publicUrl: 'http://sandbox:4010' },
    ...{ apiKey: 'key-of-these-tests', controlToken: 'token-of-these-tests' },
  })
})

test('without them, the key is new and there is no control API; nor with --no-control', () => {
  const none = { apiKey: undefined, controlToken: false }
  expect(listenOptions(remote, {})).toMatchObject(none)
  expect(listenOptions(remote, { CALLYARD_API_KEY: '', CALLYARD_SANDBOX_TOKEN: '' })).toMatchObject(none)
  expect(listenOptions({ ...remote, control: false }, secrets).controlToken).toBe(false)
})

test.each(['CALLYARD_API_KEY', 'CALLYARD_SANDBOX_TOKEN'])('mentions a short %s without showing it', name => {
  const environment = { ...secrets, [name]: 'quite-short-one' }
  expect(() => listenOptions(remote, environment)).toThrow(
    expect.objectContaining({ kind: 'usage', message: expect.stringContaining(name) }),
  )
  expect(() => listenOptions(remote, environment)).not.toThrow('quite-short-one')
})
