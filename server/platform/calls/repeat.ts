import type { Call } from './call.ts'
import { type Contract, ContractError, type OperationId } from './contract.ts'

/**
 * What is special about repeating an operation's response under its Idempotency-Key. A secret that is shown only once
 * is not stored with the response; a repeat reads it from where it is stored encrypted.
 */
export interface Repeat {
  /** Throws if the caller may no longer see the response; the operation's general permissions were checked before. */
  permit?(body: unknown, call: Call): void
  /** The response without what must not be stored. */
  conceal(body: object): object
  /** The response with its secret restored, as it is now; null if that is gone. */
  reveal(body: object, call: Call): Promise<object | null>
}

/** By operation; responses of all others are repeated as they were. */
export type Repeats = { readonly [Id in OperationId]?: Repeat }

/** Throws unless every operation that shows something once says how to keep it out of stored responses. */
export function assertConcealing(contract: Contract, repeats: Repeats): void {
  for (const { id, declaration } of contract.operations.values()) {
    if (declaration['x-shows-once'] !== undefined && repeats[id] === undefined)
      throw new ContractError(`Expected ${id} to keep its one-time secret out of stored responses.`)
  }
}
