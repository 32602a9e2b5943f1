import type { Request, Response } from 'express'
import type { Principal } from '../../platform/calls/call.ts'
import type { OperationId } from '../../platform/calls/contract.ts'

/**
 * Lets routes outside the contract accept the callers of its operations: authenticated as for one operation, counted
 * among the requests in progress and against the limits, logged and measured like a request to the operation itself.
 */
export interface ExternalAccess {
  /**
   * Answers the request with `work`, or with the problem that prevents it or that `work` throws.
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

/** A caller that was authenticated and may call the operation. */
export interface AdmittedRequest {
  readonly principal: Principal
  readonly requestId: string
  readonly address: string
  /** The JSON body of a POST, within the size and depth that the operation allows. */
  readonly body: unknown
  /** Reports the name of the operation or skill that the request runs, for the log. */
  running(name: string): void
  /** Logs and records a problem whose response is not an HTTP problem, as HTTP would. */
  refused(error: unknown): Promise<void>
}
