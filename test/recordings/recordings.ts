export { recorded, recordingFile, stream } from '../helpers/recordings.ts'
