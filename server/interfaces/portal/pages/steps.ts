import { text } from './html.ts'
import type { Place } from './place.ts'

/** Shows the vendor's progress toward its bid: the request, the price or the review. */
export function steps({ reader }: Place, current: 0 | 1 | 2): string {
  const { steps, stepsLabel } = reader.words.request
  const items = steps.map((step, i) => {
    const state = i === current ? ' aria-current="step"' : i < current ? ' class="done"' : ''
    return `<li${state}>${text(step)}</li>`
  })
  return `<ol class="steps" aria-label="${text(stepsLabel)}">${items.join('')}</ol>`
}
