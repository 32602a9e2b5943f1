import type { RowProblem } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { addConflictingRecord } from '../../../platform/calls/unique-conflict.ts'
import { createSavepoint } from '../../../platform/events/pending-rows.ts'
import { toProblem, toRowProblem } from '../../../platform/problems/problem.ts'

/** The outcome of a task, or the problem if the task was rejected. */
export type TaskAttempt<T> = { done: T; refused: null } | { done: null; refused: RowProblem }

/**
 * Runs one of several independent tasks in a transaction. If the task is rejected, undoes only its changes and events.
 * Any other error, such as a deadlock, ends the whole transaction.
 */
export async function attemptTask<T>(call: Call, work: (call: WriteCall) => Promise<T>): Promise<TaskAttempt<T>> {
  return call.write(async (call) => {
    const mark = await createSavepoint(call)
    try {
      const done = await work(call)
      await mark.keep()
      return { done, refused: null }
    } catch (error) {
      const found = toProblem(error)
      if (found.status >= 500) throw error
      await mark.undo()
      await addConflictingRecord(call, found)
      return { done: null, refused: toRowProblem(found) }
    }
  })
}

/**
 * Runs one of several tasks that must all succeed. If the task is rejected, the pointers of the problem start with
 * `pointer`.
 */
export async function runWithPointer<T>(pointer: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    const found = toProblem(error)
    const { status, code, message, extras } = found
    if (status >= 500) throw error
    const reported = extras.errors ?? [{ pointer: '', code, message: message.slice(0, MAX_MESSAGE_LENGTH) }]
    throw found.pointingAt(reported.map((fault) => ({ ...fault, pointer })))
  })
}

/** The maximum length of an error message. The contract declares the same limit. */
const MAX_MESSAGE_LENGTH = 500
