import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Call } from '../../../platform/calls/call.ts'
import { Problem } from '../../../platform/problems/problem.ts'
import { runWithIdempotencyKey } from '../../http/idempotency.ts'

/**
 * The maximum time to wait for the first of two identical forms. Browsers wait longer than this, and every transaction
 * ends sooner.
 */
const MAX_WAIT_MS = 20_000
const PAUSE_MS = 100

/** The data that identifies one action of a form. */
export interface FormAction {
  /** The form's one-time token; null if the form has no token. Without a token, the action is always performed. */
  token: string | null
  /** The operation that the form performs. */
  operation: string
  /**
   * The values entered in the form. The same form with other values, for example after the user went back, is another
   * action.
   */
  entries: unknown
}

/**
 * Performs an action of a form only once. If the action is repeated, for example because the user tapped twice, the
 * second call waits for the first one and returns the same result. A failed action can be repeated.
 *
 * @param work returns the text to store as the result, such as the ID of a created record
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
