import type { Request, Response } from 'express'
import type { Principal } from '../../platform/calls/call.ts'
import type { OperationId } from '../../platform/calls/contract.ts'

/**
 * Lets routes outside the contract accept the same callers as an operation. Such requests are authenticated, counted,
 * limited, logged, and measured like requests to the operation.
 */
export interface ExternalAccess {
  /**
   * Responds with the result of `work`. If a problem prevents `work` or `work` throws a problem, responds with the
   * problem.
   *
   * @param challenge the `WWW-Authenticate` header for a caller without a credential
   */
  visit(
    req: Request,
    res: Response,
    as: OperationId,
    work: (guest: AdmittedRequest) => Promise<void>,
    challenge?: string,
  ): Promise<void>
}

/** An authenticated caller that may call the operation. */
export interface AdmittedRequest {
  readonly principal: Principal
  readonly requestId: string
  readonly address: string
  /** The JSON body of a POST, within the size and depth limits of the operation. */
  readonly body: unknown
  /** Reports the name of the operation or skill that the request runs, for logging. */
  running(name: string): void
  /** Logs and records a problem in the same way as an HTTP problem. Used when the response has another format. */
  refused(error: unknown): Promise<void>
}
