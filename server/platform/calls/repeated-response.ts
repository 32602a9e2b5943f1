import type { Call } from './call.ts'
import { type Contract, ContractError, type OperationId } from './contract.ts'

/**
 * Rules for repeating an operation's response when a request repeats its Idempotency-Key. A secret that is shown only
 * once is not stored with the response. A repeated request reads the secret from its encrypted storage.
 */
export interface RepeatRules {
  /** Throws if the caller may no longer see the response. The operation's permissions have already been checked. */
  permit?(body: unknown, call: Call): void
  /** Returns the response without the secrets that must not be stored. */
  conceal(body: object): object
  /** Returns the response with its current secret; null if the secret no longer exists. */
  reveal(body: object, call: Call): Promise<object | null>
}

/** The rules by operation. The responses of all other operations are repeated unchanged. */
export type RepeatRulesByOperation = { readonly [Id in OperationId]?: RepeatRules }

/** Throws unless every operation with `x-shows-once` has rules for repeating its response. */
export function assertSecretsConcealed(contract: Contract, repeats: RepeatRulesByOperation): void {
  for (const { id, declaration } of contract.operations.values()) {
    if (declaration['x-shows-once'] !== undefined && repeats[id] === undefined)
      throw new ContractError(`Expected ${id} to keep its one-time secret out of stored responses.`)
  }
}
