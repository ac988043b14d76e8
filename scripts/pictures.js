// Makes the pictures of the README from real runs of the built command, for `npm run pictures`.
import { root, runBundled } from './run-bundled.js'

await runBundled('scripts/pictures.ts', ({ makePictures }) => makePictures(root))
