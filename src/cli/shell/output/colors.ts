import { Chalk } from 'chalk'
import type { Colors } from '../../../lib/text/text.ts'

/**
 * chalk with the 16 colors that every terminal has. Loaded only where color is on: whether it is, `takesColor` decides,
 * not chalk's own look at the environment.
 */
export const colors: Colors = new Chalk({ level: 1 })
