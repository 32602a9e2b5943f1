import type { Call } from './call.ts'
import { type Contract, ContractError, type OperationId } from './contract.ts'

/**
 * What is special about telling the answer of an operation a second time, under its Idempotency-Key. A secret that an
 * answer shows once is not kept with it; a repeat takes it from where it lies encrypted.
 */
export interface Repeat {
  /** Throws where the caller may no longer hear the answer; what the operation asks of everybody was checked before. */
  permit?(body: unknown, call: Call): void
  /** The answer without what is not to be kept. */
  conceal(body: object): object
  /** The answer with it again, as it is now; null where it is gone. */
  reveal(body: object, call: Call): Promise<object | null>
}

/** By operation; those that are not named are told again as they were. */
export type Repeats = { readonly [Id in OperationId]?: Repeat }

/** Throws unless every operation that shows something once says how that is kept out of its stored answers. */
export function assertConcealing(contract: Contract, repeats: Repeats): void {
  for (const { id, declaration } of contract.operations.values()) {
    if (declaration['x-shows-once'] !== undefined && repeats[id] === undefined)
      throw new ContractError(`${id} shows something once, and nothing keeps that out of its stored answers.`)
  }
}
