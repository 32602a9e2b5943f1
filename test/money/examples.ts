import { readFileSync } from 'node:fs'
import path from 'node:path'

/**
 * A worked example of how amounts are recorded. The `expect` of a step applies after that step, and the `expect` of the
 * example applies at the end.
 */
export interface Example {
  id: string
  // biome-ignore lint/suspicious/noExplicitAny: the examples are data of many shapes
  steps: { do: string; with: any; expect: any }[]
  // biome-ignore lint/suspicious/noExplicitAny: the examples are data of many shapes
  expect: any
}

const file = path.join(import.meta.dirname, 'examples.json')
const { examples }: { examples: Example[] } = JSON.parse(readFileSync(file, 'utf8'))

export function example(id: string): Example {
  const found = examples.find((one) => one.id === id)
  if (found === undefined) throw new Error(`There is no example ${id}.`)
  return found
}
