export { CallwrightError } from './public-types.ts'
