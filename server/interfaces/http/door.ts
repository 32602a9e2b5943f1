import type { Request, Response } from 'express'
import type { Principal } from '../../platform/calls/call.ts'
import type { OperationId } from '../../platform/calls/contract.ts'

/**
 * How routes outside the contract let in the callers of its operations: authenticated as for one operation, counted
 * among those under way and against the limits, logged and measured, as a request to the operation itself would be.
 */
export interface Door {
  /**
   * Answers the request by `work`, or with the problem that stands in its way or that `work` throws.
   *
   * @param challenge what a caller without a credential is told besides, in `WWW-Authenticate`
   */
  visit(
    req: Request,
    res: Response,
    as: OperationId,
    work: (guest: Guest) => Promise<void>,
    challenge?: string,
  ): Promise<void>
}

/** A caller who has been let in. */
export interface Guest {
  readonly principal: Principal
  readonly requestId: string
  readonly address: string
  /** The JSON body of a POST, at most as large and as deep as the operation takes. */
  readonly body: unknown
  /** What the request turned out to run; the log names it. */
  running(name: string): void
  /** A problem that is answered in another form than HTTP's is logged and recorded as it would have been there. */
  refused(error: unknown): Promise<void>
}
