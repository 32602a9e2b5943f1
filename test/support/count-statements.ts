import type { KyselyPlugin } from 'kysely'
import { operations } from '../../server/interfaces/operations.ts'
import type { Call, WriteCall } from '../../server/platform/calls/call.ts'
import type { OperationId } from '../../server/platform/calls/contract.ts'
import type { Handlers } from '../../server/platform/calls/operation.ts'

/**
 * Counts the statements that one operation sends inside its transaction. The operation's handler is wrapped for this
 * purpose.
 */
export class StatementCounter {
  readonly handlers: Handlers
  statements = 0

  constructor(id: OperationId) {
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        this.statements++
        return result
      },
    }
    const operation = operations[id] as (input: unknown, call: Call) => Promise<never>
    const counted = (input: unknown, call: Call) =>
      operation(input, {
        ...call,
        write: (work) =>
          call.write((inside) => {
            const counting: WriteCall = {
              ...inside,
              db: inside.db.withPlugin(counter),
              write: (work) => work(counting),
            }
            return work(counting)
          }),
      })
    this.handlers = { ...operations, [id]: counted }
  }
}

/** Counts the statements of read-only skills that executeSkill runs. The handlers are wrapped for this purpose. */
export class SkillStatementCounter {
  readonly handlers: Handlers
  statements = 0

  constructor() {
    const counter: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        this.statements++
        return result
      },
    }
    const counted: Handlers['executeSkill'] = (input, call) =>
      operations.executeSkill(input, call.isWriting ? call : { ...call, db: call.db.withPlugin(counter) })
    this.handlers = { ...operations, executeSkill: counted }
  }
}
