import type { Request, Response } from 'express'
import type { Principal } from '../../platform/calls/call.ts'
import type { OperationId } from '../../platform/calls/contract.ts'

/**
 * Allows routes that are not in the contract to accept the same callers as an operation does. The service
 * authenticates, counts, limits, logs, and measures these requests like requests for the operation.
 */
export interface ExternalAccess {
  /**
   * Responds with the result of `work`. If the caller is rejected or `work` throws a problem, responds with the
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

/** A request whose caller is authenticated and may call the operation. */
export interface AdmittedRequest {
  readonly principal: Principal
  readonly requestId: string
  readonly address: string
  /** The JSON body of a POST, within the size and depth limits of the operation. */
  readonly body: unknown
  /** Sets the name of the operation or skill that the log shows for the request. */
  running(name: string): void
  /**
   * Logs and records a problem like the problem of an HTTP response. Call this function if the response reports the
   * problem in another format.
   */
  refused(error: unknown): Promise<void>
}
