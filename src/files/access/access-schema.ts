import * as z from 'zod/mini'
import { required } from '../../interface/fields.ts'

/** Local resources that files read, programs that they run, and hosts that they send data to. Lists are sorted, without duplicates. */
export const accessSchema = z.object({
  variables: required(z.array(z.string()), 'Names of environment variables, set or not'),
  files: required(z.array(z.string()), 'Included files, relative to their project'),
  outsideFiles: required(z.array(z.string()), 'Included files outside their project, absolute'),
  commands: required(z.array(z.string()), 'Commands that run on this machine, each after its file'),
  hosts: required(
    z.array(z.string()),
    'Hosts, with the port if one is given; environment variables as references: ${env:HOOK_HOST}',
  ),
})
