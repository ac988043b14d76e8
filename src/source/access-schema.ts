import * as z from 'zod/mini'
import { required } from '../interface/fields.ts'

/** Resources of this machine that files read, and hosts that they send to. Each list is sorted, without duplicates. */
export const accessSchema = z.object({
  variables: required(z.array(z.string()), 'Names of environment variables, set or not'),
  files: required(z.array(z.string()), 'Included files, relative to their project'),
  outsideFiles: required(z.array(z.string()), 'Included files outside their project, absolute'),
  hosts: required(
    z.array(z.string()),
    'Hosts, with a port where one is written; a variable stands as its reference: ${env:HOOK_HOST}',
  ),
})
