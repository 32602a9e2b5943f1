import type { Call } from './call.ts'
import { type Contract, ContractError, type OperationId } from './contract.ts'

/**
 * The rules for the response to a repeated request, which has the same Idempotency-Key. Secrets that are shown only
 * once are not stored with the response. A repeated response reads the secret from its encrypted storage.
 */
export interface RepeatRules {
  /**
   * Throws if the caller may no longer see the response. The permissions of the operation have already been checked.
   */
  permit?(body: unknown, call: Call): void
  /** Returns the response without the secrets that must not be stored. */
  conceal(body: object): object
  /** Returns the response with its current secret; null if the secret no longer exists. */
  reveal(body: object, call: Call): Promise<object | null>
}

/** The rules of each operation. Operations without rules repeat their responses unchanged. */
export type RepeatRulesByOperation = { readonly [Id in OperationId]?: RepeatRules }

/** Throws unless all operations with `x-shows-once` have rules. */
export function assertSecretsConcealed(contract: Contract, repeats: RepeatRulesByOperation): void {
  for (const { id, declaration } of contract.operations.values()) {
    if (declaration['x-shows-once'] !== undefined && repeats[id] === undefined)
      throw new ContractError(`Expected ${id} to keep its one-time secret out of stored responses.`)
  }
}
