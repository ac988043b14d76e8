export { temporaryFolder as emptyFolder } from '../helpers/folders.ts'
export { bodiesOf, readAll, recordedLine } from '../helpers/recordings.ts'
