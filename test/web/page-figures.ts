import { drawFigures } from '../../src/cli/shell/call-figures/page-figures.ts'
import type { PageFigures } from '../../src/web/index.ts'

/** Figures of a page, as the commands open it, without a style. */
export const pageFigures: PageFigures = {
  style: '',
  facts: {},
  draw: drawFigures,
}
