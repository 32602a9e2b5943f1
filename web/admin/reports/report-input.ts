import type { Values } from '../actions/entered-values.ts'
import type { InputSchema } from '../actions/input-schema.ts'

/** Query parameters of a report page that are not inputs of the report. */
export const CHART_PARAM = 'chart'

/**
 * Reads the input of a report from the query of its page. In the query, strings are unchanged, and other values are
 * JSON.
 */
export function readReportInput(schema: InputSchema, query: URLSearchParams): Values {
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, property]) => {
      const text = query.get(name)
      return text === null ? [] : [[name, readValue(property, text)] as const]
    }),
  )
}

/** Returns the query of the page that shows a report with the given input. */
export function writeReportInput(input: Values): URLSearchParams {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined && value !== null)
  return new URLSearchParams(
    entries.map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  )
}

/** Returns the names of the required fields that are missing. */
export function listMissingFields(schema: InputSchema, input: Values): string[] {
  return (schema.required ?? []).filter((name) => input[name] === undefined)
}

function readValue(schema: InputSchema, text: string): unknown {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  if (types.includes('string')) return text
  try {
    return JSON.parse(text) as unknown
  } catch {
    // Keeps the text as it is. The service then returns an error for the value.
    return text
  }
}
