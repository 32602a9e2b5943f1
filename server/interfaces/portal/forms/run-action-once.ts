import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '../../../platform/calls/call.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { runWithIdempotencyKey } from '../../http/idempotency.ts'

/**
 * The maximum time to wait for the first of two identical forms. A browser waits longer, and every transaction takes
 * less time.
 */
const MAX_WAIT_MS = 20_000
const PAUSE_MS = 100

/** The identity of one action of a form. */
export interface FormAction {
  /** The form's one-time token; null if the form has no token. An action without a token is always performed. */
  token: string | null
  /** The operation that the form performs. */
  operation: string
  /**
   * The values entered in the form. If the user goes back and sends the form with other values, this is another action.
   */
  entries: unknown
}

/**
 * Performs an action of a form only once. A repeated action, such as the second of two taps, waits for the first action
 * and returns its result. An action that fails may be repeated.
 *
 * @param work returns a text to remember, such as the ID of a created record
 */
export async function runActionOnce(
  call: Call,
  { token, operation, entries }: FormAction,
  work: (call: Call) => Promise<string>,
): Promise<string> {
  if (token === null) return work(call)
  const digest = createHash('sha256').update(JSON.stringify(entries)).digest('base64url')
  const started = performance.now()
  for (;;) {
    try {
      return await runWithIdempotencyKey<string>(
        call,
        `form ${token} ${operation} ${digest}`,
        { method: 'POST', url: operation, body: null },
        {
          perform: work,
          keep: (text) => ({ status: 303, headers: {}, text, resourceId: () => null }),
          tellAgain: async ({ text }) => text ?? '',
        },
      )
    } catch (error) {
      const isUnderWay = error instanceof Problem && error.code === 'idempotency_in_progress'
      if (!isUnderWay || performance.now() - started > MAX_WAIT_MS) throw error
      await pause(PAUSE_MS)
    }
  }
}
