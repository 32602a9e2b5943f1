import { escapeHtml } from './html.ts'
import type { PageContext } from './page-context.ts'

/** Renders the steps to a bid (request, price, and review) and highlights the current one. */
export function renderBidSteps({ reader }: PageContext, current: 0 | 1 | 2): string {
  const { steps, stepsLabel } = reader.words.request
  const items = steps.map((step, i) => {
    const state = i === current ? ' aria-current="step"' : i < current ? ' class="done"' : ''
    return `<li${state}>${escapeHtml(step)}</li>`
  })
  return `<ol class="steps" aria-label="${escapeHtml(stepsLabel)}">${items.join('')}</ol>`
}
