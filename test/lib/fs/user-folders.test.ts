import { expect, test } from 'vitest'
import { absoluteFolder, cacheFolder, configFile, homeFolder } from '../../../src/lib/fs/user-folders.ts'

test('a user without an entry in the system has no home folder', () => {
  const unknown = () => {
    throw new Error('uv_os_homedir returned ENOENT')
  }
  expect(homeFolder(unknown)).toBeUndefined()
  expect(homeFolder(() => '/home/ada')).toBe('/home/ada')
})

test.runIf(process.platform === 'linux')('relative XDG folders are ignored', () => {
  expect(absoluteFolder('config')).toBeUndefined()
  expect(configFile({ XDG_CONFIG_HOME: 'config' })).toMatch(/^\/.*\.config\/callyard\/config\.json$/)
  expect(configFile({ XDG_CONFIG_HOME: '/config' })).toBe('/config/callyard/config.json')
  expect(cacheFolder({ XDG_CACHE_HOME: 'cache', HOME: '/home/ada' }, 'linux')).toBe('/home/ada/.cache')
})
