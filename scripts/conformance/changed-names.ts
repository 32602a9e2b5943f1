import { TYPE_ID } from './resource-ids.ts'
import type { ServiceResponse } from './service.ts'

/** Moves a date or timestamp of an example to the current week. Returns other values unchanged. */
export function shiftDates(value: unknown, weeksAgo = 0): unknown {
  if (typeof value !== 'string' || !DATE.test(value)) return value
  const moved = new Date(Date.parse(value) + (WEEKS_SINCE - weeksAgo) * WEEK_MS).toISOString()
  return value.length === 10 ? moved.slice(0, 10) : moved
}

const DATE = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}:\d{2}(\.\d+)?Z)?$/

const WEEK_MS = 7 * 86_400_000

/**
 * The day on which the examples were written. Deadlines in the examples are after this day, and past events are before
 * it.
 */
const WRITTEN_ON = Date.UTC(2026, 10, 20)

// Dates are moved by whole weeks, because some must be on a certain weekday.
const WEEKS_SINCE = Math.max(0, Math.floor((Date.now() - WRITTEN_ON) / WEEK_MS))

/** The maximum number of unique names of a record, such as a code, an accountingId, and an externalId. */
const MAX_NAMES = 3

/** Sends a body. If another record has one of the names, sends the body again with a different name. */
export async function sendWithFreeNames(
  body: unknown,
  send: (content: unknown) => Promise<ServiceResponse>,
): Promise<ServiceResponse> {
  let [content, response] = [body, await send(body)]
  for (let i = 0; i < MAX_NAMES; i++) {
    const otherwise = replaceConflictingValue(content, response)
    if (otherwise === null) break
    content = otherwise
    response = await send(content)
  }
  return response
}

/**
 * Returns the body with a new name or week if the request was rejected because another record has the same one.
 * Otherwise, returns null.
 */
export function replaceConflictingValue(body: unknown, refused: ServiceResponse): unknown {
  const fault = refused.status === 409 ? refused.body.errors?.[0] : undefined
  const field = fault?.code === 'conflict' ? String(fault.pointer).slice(1) : ''
  const name = (body as Record<string, unknown> | null | undefined)?.[field]
  if (typeof name !== 'string' || TYPE_ID.test(name)) return null
  if (DATE.test(name)) return { ...(body as object), [field]: shiftDates(name, 1 + Math.floor(Math.random() * 1000)) }
  const other = Math.random().toString(36).slice(2, 8)
  return { ...(body as object), [field]: URL.canParse(name) ? `${name}?${other}` : `${name} ${other}` }
}
