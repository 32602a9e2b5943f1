import type { RowProblem } from '../../../../client/contract.gen.ts'
import type { Call, WriteCall } from '../../../platform/calls/call.ts'
import { withConflictingRecord } from '../../../platform/calls/unique-conflict.ts'
import { createSavepoint } from '../../../platform/events/pending-rows.ts'
import { toProblem, toRowProblem } from '../../../platform/problems/problem.ts'

/** The result of one of several tasks: its outcome, or why it was rejected. */
export type Attempt<T> = { done: T; refused: null } | { done: null; refused: RowProblem }

/**
 * Runs one of several independent tasks. If it is rejected, everything it wrote, recorded and noted is undone. Any
 * other error, such as a deadlock, ends the whole transaction.
 */
export async function attemptEach<T>(call: Call, work: (call: WriteCall) => Promise<T>): Promise<Attempt<T>> {
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
      await withConflictingRecord(call, found)
      return { done: null, refused: toRowProblem(found) }
    }
  })
}

/** Runs one of several tasks that must all succeed. If it is rejected, the problem names it. */
export async function withPointer<T>(pointer: string, work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    const found = toProblem(error)
    const { status, code, message, extras } = found
    if (status >= 500) throw error
    const reported = extras.errors ?? [{ pointer: '', code, message: message.slice(0, MAX_MESSAGE_LENGTH) }]
    throw found.pointingAt(reported.map((fault) => ({ ...fault, pointer })))
  })
}

/** The contract has the same bound for the message of an error. */
const MAX_MESSAGE_LENGTH = 500
